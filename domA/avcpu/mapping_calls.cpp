// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/mapping_calls.h"

#include <utility>

namespace pegasus::avcpu {

static_assert(PEGASUS_MAPPING_GRANULE == device::mapping_granule);

Status MappingCalls::on(pegasus_addresses_reserve_request const& request, Data const&,
                        pegasus_addresses_reserve_reply& reply) {
  return objects_.context().reserve_addresses(request.bytes, request.alignment, request.hint, reply.address);
}

Status MappingCalls::on(pegasus_addresses_free_request const& request, Data const&,
                        pegasus_addresses_free_reply&) {
  return objects_.context().free_addresses({request.address, request.bytes});
}

Status MappingCalls::on(pegasus_physical_create_request const& request, Data const&,
                        pegasus_physical_create_reply& reply) {
  std::unique_ptr<device::PhysicalMemory> memory;
  Status const status = objects_.context().create_memory(request.bytes, memory);
  if (status != Status::success) return status;
  reply.memory = objects_.insert<device::PhysicalMemory>(std::move(memory));
  return reply.memory != 0 ? Status::success : Status::out_of_memory;
}

Status MappingCalls::on(pegasus_physical_release_request const& request, Data const&, device::PhysicalMemory*,
                        pegasus_physical_release_reply&) {
  objects_.table<device::PhysicalMemory>().erase(request.memory);
  return Status::success;
}

Status MappingCalls::on(pegasus_memory_map_request const& request, Data const&,
                        device::PhysicalMemory* memory, pegasus_memory_map_reply&) {
  return objects_.context().map({request.address, request.bytes}, *memory);
}

Status MappingCalls::on(pegasus_memory_unmap_request const& request, Data const&,
                        pegasus_memory_unmap_reply&) {
  return objects_.context().unmap({request.address, request.bytes});
}

Status MappingCalls::on(pegasus_memory_set_access_request const& request, Data const&,
                        pegasus_memory_set_access_reply&) {
  constexpr std::uint32_t none = 0, read_write = 3; // CUmemAccess_flags
  if (request.access != none && request.access != read_write) return Status::not_supported;
  return objects_.context().set_access({request.address, request.bytes}, request.access == read_write);
}

} // namespace pegasus::avcpu
