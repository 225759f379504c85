// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces. Whatever a request says is within CUDA's enumerations once it reaches the device.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

class TextureCalls {
public:
  explicit TextureCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_array_create_request const&, Data const&, pegasus_array_create_reply&);
  Status on(pegasus_array_destroy_request const&, Data const&, pegasus_array_destroy_reply&);
  Status on(pegasus_texture_create_request const&, Data const&, pegasus_texture_create_reply&);
  Status on(pegasus_texture_destroy_request const&, Data const&, pegasus_texture_destroy_reply&);
  Status on(pegasus_surface_create_request const&, Data const&, pegasus_surface_create_reply&);
  Status on(pegasus_surface_destroy_request const&, Data const&, pegasus_surface_destroy_reply&);

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
