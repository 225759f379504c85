// SPDX-License-Identifier: Apache-2.0
// Device memory and copies.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

class MemoryCalls {
public:
  explicit MemoryCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_memory_allocate_request const& request, Data const&,
            pegasus_memory_allocate_reply& reply);
  Status on(pegasus_memory_free_request const& request, Data const&, pegasus_memory_free_reply&);
  Status on(pegasus_memory_info_request const&, Data const&, pegasus_memory_info_reply& reply);
  Status on(pegasus_memory_range_request const& request, Data const&, pegasus_memory_range_reply& reply);
  Status on(pegasus_copy_to_device_request const& request, Data const& data, device::Stream* stream);
  Status on(pegasus_copy_from_device_request const& request, Data const& data, device::Stream* stream,
            pegasus_copy_from_device_reply&);
  Status on(pegasus_copy_device_request const& request, Data const&, device::Stream* stream);
  Status on(pegasus_fill_request const& request, Data const&, device::Stream* stream);

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
