// SPDX-License-Identifier: Apache-2.0
// Tensor maps.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

class TensorCalls {
public:
  explicit TensorCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_tensor_map_encode_request const&, Data const& data, pegasus_tensor_map_encode_reply&);

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
