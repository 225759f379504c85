// SPDX-License-Identifier: Apache-2.0
// Copies of plain ranges. The _ptds variants use the per-thread default stream.
#include "frontend/cuda/copy.h"

#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

CUresult copy(Side target, Side source, std::size_t bytes, CUstream stream, bool blocking) {
  return with_context([&](Channel& channel, Context&) {
    return copy_rows(channel, stream, target, source, bytes, 1, blocking);
  });
}

// Host or device, by the addresses. This needs the table of allocations, so a context is checked first.
CUresult copy_any(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream, bool blocking) {
  return with_context([&](Channel& channel, Context&) {
    return copy_rows(channel, stream, side_of(target), side_of(source), bytes, 1, blocking);
  });
}

// Both contexts are on the same device.
CUresult copy_peer(CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context,
                   std::size_t bytes, CUstream stream) {
  return with_context([&](Channel& channel, Context&) {
    if (find<Context>(target_context) == nullptr || find<Context>(source_context) == nullptr)
      return CUDA_ERROR_INVALID_CONTEXT;
    return copy_rows(channel, stream, device_side(target), device_side(source), bytes, 1, false);
  });
}

constexpr CUstream legacy = nullptr;

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, void const* source, std::size_t bytes) {
  return copy(device_side(target), host_side(source), bytes, legacy, true);
}
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr target, void const* source, std::size_t bytes) {
  return copy(device_side(target), host_side(source), bytes, per_thread(nullptr), true);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, void const* source, std::size_t bytes, CUstream stream) {
  return copy(device_side(target), host_side(source), bytes, stream, false);
}

CUresult cuMemcpyDtoH_v2(void* target, CUdeviceptr source, std::size_t bytes) {
  return copy(host_side(target), device_side(source), bytes, legacy, true);
}
CUresult cuMemcpyDtoH_v2_ptds(void* target, CUdeviceptr source, std::size_t bytes) {
  return copy(host_side(target), device_side(source), bytes, per_thread(nullptr), true);
}
CUresult cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return copy(host_side(target), device_side(source), bytes, stream, false);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  return copy(device_side(target), device_side(source), bytes, legacy, true);
}
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  return copy(device_side(target), device_side(source), bytes, per_thread(nullptr), true);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return copy(device_side(target), device_side(source), bytes, stream, false);
}

CUresult cuMemcpy(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  return copy_any(target, source, bytes, legacy, true);
}
CUresult cuMemcpy_ptds(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  return copy_any(target, source, bytes, per_thread(nullptr), true);
}
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return copy_any(target, source, bytes, stream, false);
}

CUresult cuMemcpyPeer(CUdeviceptr target, CUcontext target_context, CUdeviceptr source,
                      CUcontext source_context, std::size_t bytes) {
  return copy_peer(target, target_context, source, source_context, bytes, legacy);
}
CUresult cuMemcpyPeer_ptds(CUdeviceptr target, CUcontext target_context, CUdeviceptr source,
                           CUcontext source_context, std::size_t bytes) {
  return copy_peer(target, target_context, source, source_context, bytes, per_thread(nullptr));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr target, CUcontext target_context, CUdeviceptr source,
                           CUcontext source_context, std::size_t bytes, CUstream stream) {
  return copy_peer(target, target_context, source, source_context, bytes, stream);
}
