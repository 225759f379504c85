// SPDX-License-Identifier: Apache-2.0
// Addresses and memory apart: what a guest reserves, creates and maps itself.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

class MappingCalls {
public:
  explicit MappingCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_addresses_reserve_request const& request, Data const&,
            pegasus_addresses_reserve_reply& reply);
  Status on(pegasus_addresses_free_request const& request, Data const&, pegasus_addresses_free_reply&);
  Status on(pegasus_physical_create_request const& request, Data const&,
            pegasus_physical_create_reply& reply);
  Status on(pegasus_physical_release_request const& request, Data const&, device::PhysicalMemory*,
            pegasus_physical_release_reply&);
  Status on(pegasus_memory_map_request const& request, Data const&, device::PhysicalMemory* memory,
            pegasus_memory_map_reply&);
  Status on(pegasus_memory_unmap_request const& request, Data const&, pegasus_memory_unmap_reply&);
  Status on(pegasus_memory_set_access_request const& request, Data const&, pegasus_memory_set_access_reply&);

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
