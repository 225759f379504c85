// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/copy.h"

#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

#include <cstring>

namespace pegasus::driver {
namespace {

std::byte* host_bytes(Side const& side) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(side.address));
}

// A device address passed as a host pointer would crash the program; CUDA returns an error.
bool is_host(Side const& side) { return side.address != 0 && !device_memory().find(side.address); }

void copy_on_host(Side const& target, Side const& source, std::uint64_t row_bytes, std::uint64_t rows) {
  for (std::uint64_t row = 0; row < rows; ++row)
    std::memmove(host_bytes(target) + row * target.pitch, host_bytes(source) + row * source.pitch, row_bytes);
}

CUDA_MEMCPY3D box_of(RowCopy const& copy) {
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = copy.source.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  box.srcHost = host_bytes(copy.source);
  box.srcDevice = copy.source.address;
  box.srcPitch = copy.source.pitch;
  box.dstMemoryType = copy.target.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  box.dstHost = host_bytes(copy.target);
  box.dstDevice = copy.target.address;
  box.dstPitch = copy.target.pitch;
  box.WidthInBytes = copy.row_bytes;
  box.Height = copy.rows;
  box.Depth = 1;
  return box;
}

} // namespace

Side side_of(std::uint64_t address, std::uint64_t pitch) {
  return {on_device(address).has_value(), address, pitch};
}

CUresult check_rows(Channel& channel, RowCopy& copy) {
  for (Side* const side : {&copy.target, &copy.source}) {
    if (copy.rows == 1) side->pitch = copy.row_bytes;
    // The worker reaches shared memory, too, in the stream's order.
    side->on_device = side->on_device || is_shared(side->address);
    CUresult const status =
        side->on_device  ? check_device_rows(channel, side->address, side->pitch, copy.row_bytes, copy.rows)
        : is_host(*side) ? CUDA_SUCCESS
                         : CUDA_ERROR_INVALID_VALUE;
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

CUresult copy_rows(Channel& channel, CUstream stream, Side target, Side source, std::uint64_t row_bytes,
                   std::uint64_t rows, bool blocking) {
  std::uint64_t remote = 0;
  bool captured = false;
  if (CUresult const status = resolve_stream(channel, stream, remote, nullptr, &captured);
      status != CUDA_SUCCESS)
    return status;
  if (row_bytes == 0 || rows == 0) return CUDA_SUCCESS;
  RowCopy copy{target, source, row_bytes, rows};
  if (CUresult const status = check_rows(channel, copy); status != CUDA_SUCCESS) return status;
  if (captured) return capture_work(stream, CopyWork{box_of(copy)});
  target = copy.target;
  source = copy.source;
  // The program may use memory that it shares with the device once a blocking copy has returned.
  bool const sees = blocking && (is_shared(target.address) || is_shared(source.address));
  if (target.on_device && source.on_device) {
    CUresult const status = result(channel.post(pegasus_copy_device_request{
        remote, target.address, target.pitch, source.address, source.pitch, row_bytes, rows}));
    return status == CUDA_SUCCESS && sees ? synchronize_stream(channel, remote) : status;
  }
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
  bool const must_wait = sees || (blocking && (remote != 0 || unordered_streams_exist()));
  return status == CUDA_SUCCESS && must_wait ? synchronize_stream(channel, remote) : status;
}

} // namespace pegasus::driver
