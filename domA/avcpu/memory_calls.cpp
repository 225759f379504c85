// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/memory_calls.h"

namespace pegasus::avcpu {
namespace {

// The arena must hold exactly the rows that the guest describes.
template <class Request> bool rows_fill(Request const& request, std::size_t data_bytes) {
  std::uint64_t bytes = 0;
  return !__builtin_mul_overflow(request.row_bytes, request.rows, &bytes) && bytes == data_bytes &&
         bytes != 0;
}

// As in CUDA: elements lie at multiples of their size.
bool is_aligned(pegasus_fill_request const& request) {
  std::uint32_t const element = request.element_bytes;
  if (element != 1 && element != 2 && element != 4) return false;
  return request.address % element == 0 && (request.rows <= 1 || request.pitch % element == 0);
}

} // namespace

Status MemoryCalls::on(pegasus_memory_allocate_request const& request, Data const&,
                       pegasus_memory_allocate_reply& reply) {
  switch (request.place) {
  case PEGASUS_MEMORY_DEVICE:
    return objects_.context().allocate(request.bytes, reply.address);
  case PEGASUS_MEMORY_MAPPED:
    return objects_.context().allocate_host(request.bytes, device::HostMemory::mapped, reply.address);
  case PEGASUS_MEMORY_MANAGED:
    return objects_.context().allocate_host(request.bytes, device::HostMemory::managed, reply.address);
  default:
    return Status::invalid_value;
  }
}

Status MemoryCalls::on(pegasus_memory_free_request const& request, Data const&, pegasus_memory_free_reply&) {
  return objects_.context().free(request.address);
}

Status MemoryCalls::on(pegasus_memory_info_request const&, Data const&, pegasus_memory_info_reply& reply) {
  return objects_.context().memory_info(reply.free_bytes, reply.total_bytes);
}

Status MemoryCalls::on(pegasus_memory_range_request const& request, Data const&,
                       pegasus_memory_range_reply& reply) {
  device::Range range;
  Status const status = objects_.context().memory_range(request.address, range);
  reply = {range.base, range.bytes};
  return status;
}

Status MemoryCalls::on(pegasus_copy_to_device_request const& request, Data const& data,
                       device::Stream* stream) {
  if (!rows_fill(request, data.arena.size())) return Status::invalid_value;
  return objects_.context().copy_to_device(
      stream, {request.address, request.pitch, request.row_bytes, request.rows}, data.arena);
}

Status MemoryCalls::on(pegasus_copy_from_device_request const& request, Data const& data,
                       device::Stream* stream, pegasus_copy_from_device_reply&) {
  if (!rows_fill(request, data.arena.size())) return Status::invalid_value;
  if (Status const failure = objects_.take_failure(); failure != Status::success) return failure;
  return objects_.context().copy_from_device(
      stream, data.arena, {request.address, request.pitch, request.row_bytes, request.rows});
}

Status MemoryCalls::on(pegasus_copy_device_request const& request, Data const&, device::Stream* stream) {
  return objects_.context().copy_device(
      stream, {request.target, request.target_pitch, request.row_bytes, request.rows}, request.source,
      request.source_pitch);
}

Status MemoryCalls::on(pegasus_fill_request const& request, Data const&, device::Stream* stream) {
  std::uint64_t row_bytes = 0;
  if (!is_aligned(request) ||
      __builtin_mul_overflow(request.row_elements, std::uint64_t{request.element_bytes}, &row_bytes))
    return Status::invalid_value;
  return objects_.context().fill(stream, {request.address, request.pitch, row_bytes, request.rows},
                                 request.value, request.element_bytes);
}

} // namespace pegasus::avcpu
