// SPDX-License-Identifier: Apache-2.0
// Memsets. "Asynchronous with respect to the host", also the synchronous functions, except where the host shares the
// memory.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

CUresult fill(CUdeviceptr target, std::size_t pitch, std::uint32_t value, std::uint32_t element_bytes,
              std::size_t row_elements, std::size_t rows, CUstream stream, bool blocking) {
  return with_context([&](Channel& channel, Context& context) {
    std::uint64_t remote = 0;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, stream, remote, nullptr, &captured);
        status != CUDA_SUCCESS)
      return status;
    if (row_elements == 0 || rows == 0) return CUDA_SUCCESS;
    CUDA_MEMSET_NODE_PARAMS_v2 const what{target,       pitch, value,         element_bytes,
                                          row_elements, rows,  context.handle};
    pegasus_fill_request request{};
    if (CUresult const status = fill_request(channel, what, remote, request); status != CUDA_SUCCESS)
      return status;
    if (captured) return capture_work(stream, FillWork{what});
    CUresult const status = result(channel.post(request));
    return status == CUDA_SUCCESS && blocking && is_shared(target) ? synchronize_stream(channel, remote)
                                                                   : status;
  });
}

} // namespace

CUresult fill_request(Channel& channel, CUDA_MEMSET_NODE_PARAMS_v2 const& what, std::uint64_t stream,
                      pegasus_fill_request& request) {
  std::uint64_t row_bytes = 0;
  if (what.elementSize != 1 && what.elementSize != 2 && what.elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(what.width, std::uint64_t{what.elementSize}, &row_bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t const step = what.height == 1 ? row_bytes : what.pitch;
  if (what.dst % what.elementSize != 0 || step % what.elementSize != 0) return CUDA_ERROR_INVALID_VALUE;
  request = {stream, what.dst, step, what.width, what.height, what.elementSize, what.value};
  return check_device_rows(channel, what.dst, step, row_bytes, what.height);
}

} // namespace pegasus::driver

using pegasus::driver::fill;
using pegasus::driver::per_thread;

// Each width in its six forms: one row or several rows, in the legacy default stream, the per-thread default
// stream or the caller's stream.
#define PEGASUS_FILL(bits, type)                                                                             \
  CUresult cuMemsetD##bits##_v2(CUdeviceptr p, type v, std::size_t n) {                                      \
    return fill(p, 0, v, sizeof v, n, 1, nullptr, true);                                                     \
  }                                                                                                          \
  CUresult cuMemsetD##bits##_v2_ptds(CUdeviceptr p, type v, std::size_t n) {                                 \
    return fill(p, 0, v, sizeof v, n, 1, per_thread(nullptr), true);                                         \
  }                                                                                                          \
  CUresult cuMemsetD##bits##Async(CUdeviceptr p, type v, std::size_t n, CUstream s) {                        \
    return fill(p, 0, v, sizeof v, n, 1, s, false);                                                          \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##_v2(CUdeviceptr p, std::size_t pitch, type v, std::size_t w, std::size_t h) {  \
    return fill(p, pitch, v, sizeof v, w, h, nullptr, true);                                                 \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##_v2_ptds(CUdeviceptr p, std::size_t pitch, type v, std::size_t w,              \
                                       std::size_t h) {                                                      \
    return fill(p, pitch, v, sizeof v, w, h, per_thread(nullptr), true);                                     \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, std::size_t pitch, type v, std::size_t w, std::size_t h,  \
                                    CUstream s) {                                                            \
    return fill(p, pitch, v, sizeof v, w, h, s, false);                                                      \
  }

PEGASUS_FILL(8, unsigned char)
PEGASUS_FILL(16, unsigned short)
PEGASUS_FILL(32, unsigned int)
#undef PEGASUS_FILL
