// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/copy.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

#include <cstring>

namespace pegasus::driver {
namespace {

std::byte* host_bytes(Side const& side) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(side.address));
}

// A device address where a host pointer belongs would crash the program; CUDA answers with an error.
bool is_host(Side const& side) { return side.address != 0 && !device_memory().find(side.address); }

void copy_on_host(Side const& target, Side const& source, std::uint64_t row_bytes, std::uint64_t rows) {
  for (std::uint64_t row = 0; row < rows; ++row)
    std::memmove(host_bytes(target) + row * target.pitch, host_bytes(source) + row * source.pitch, row_bytes);
}

} // namespace

Side side_of(std::uint64_t address, std::uint64_t pitch) {
  return {device_memory().find(address).has_value(), address, pitch};
}

CUresult copy_rows(Channel& channel, CUstream stream, Side target, Side source, std::uint64_t row_bytes,
                   std::uint64_t rows, bool blocking) {
  std::uint64_t remote = 0;
  if (CUresult const status = resolve_stream(channel, stream, remote); status != CUDA_SUCCESS) return status;
  if (row_bytes == 0 || rows == 0) return CUDA_SUCCESS;
  for (Side* const side : {&target, &source}) {
    if (rows == 1) side->pitch = row_bytes;
    CUresult const status = side->on_device
                                ? check_device_rows(channel, side->address, side->pitch, row_bytes, rows)
                            : is_host(*side) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_VALUE;
    if (status != CUDA_SUCCESS) return status;
  }
  if (target.on_device && source.on_device)
    return result(channel.post(pegasus_copy_device_request{remote, target.address, target.pitch,
                                                           source.address, source.pitch, row_bytes, rows}));
  if (source.on_device)
    return result(channel.read_device(remote, host_bytes(target), target.pitch,
                                      {source.address, source.pitch}, row_bytes, rows));
  if (!target.on_device) {
    CUresult const status = synchronize_stream(channel, remote);
    if (status == CUDA_SUCCESS) copy_on_host(target, source, row_bytes, rows);
    return status;
  }
  CUresult const status = result(channel.write_device(remote, {target.address, target.pitch},
                                                      host_bytes(source), source.pitch, row_bytes, rows));
  // The legacy default stream is ordered before all later work, except that of non-blocking streams.
  bool const must_wait = blocking && (remote != 0 || unordered_streams_exist());
  return status == CUDA_SUCCESS && must_wait ? synchronize_stream(channel, remote) : status;
}

} // namespace pegasus::driver
