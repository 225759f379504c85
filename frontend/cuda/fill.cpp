// SPDX-License-Identifier: Apache-2.0
// Memsets. "Asynchronous with respect to the host": the synchronous names differ from the others in the
// stream only.
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

CUresult fill(CUdeviceptr target, std::size_t pitch, std::uint32_t value, std::uint32_t element_bytes,
              std::size_t row_elements, std::size_t rows, CUstream stream) {
  return with_context([&](Channel& channel, Context&) {
    std::uint64_t remote = 0;
    if (CUresult const status = resolve_stream(channel, stream, remote); status != CUDA_SUCCESS)
      return status;
    if (row_elements == 0 || rows == 0) return CUDA_SUCCESS;
    std::uint64_t row_bytes = 0;
    if (__builtin_mul_overflow(row_elements, std::uint64_t{element_bytes}, &row_bytes))
      return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t const step = rows == 1 ? row_bytes : pitch;
    if (target % element_bytes != 0 || step % element_bytes != 0) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_device_rows(channel, target, step, row_bytes, rows);
        status != CUDA_SUCCESS)
      return status;
    return result(
        channel.post(pegasus_fill_request{remote, target, step, row_elements, rows, element_bytes, value}));
  });
}

CUstream const own = CU_STREAM_PER_THREAD;

} // namespace
} // namespace pegasus::driver

using pegasus::driver::fill;
using pegasus::driver::own;
using pegasus::driver::per_thread;

// Each width in its eight forms: one row or rows, synchronous name or stream, default stream of all or of the
// thread.
#define PEGASUS_FILL(bits, type)                                                                             \
  CUresult cuMemsetD##bits##_v2(CUdeviceptr p, type v, std::size_t n) {                                      \
    return fill(p, 0, v, sizeof v, n, 1, nullptr);                                                           \
  }                                                                                                          \
  CUresult cuMemsetD##bits##_v2_ptds(CUdeviceptr p, type v, std::size_t n) {                                 \
    return fill(p, 0, v, sizeof v, n, 1, own);                                                               \
  }                                                                                                          \
  CUresult cuMemsetD##bits##Async(CUdeviceptr p, type v, std::size_t n, CUstream s) {                        \
    return fill(p, 0, v, sizeof v, n, 1, s);                                                                 \
  }                                                                                                          \
  CUresult cuMemsetD##bits##Async_ptsz(CUdeviceptr p, type v, std::size_t n, CUstream s) {                   \
    return fill(p, 0, v, sizeof v, n, 1, per_thread(s));                                                     \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##_v2(CUdeviceptr p, std::size_t pitch, type v, std::size_t w, std::size_t h) {  \
    return fill(p, pitch, v, sizeof v, w, h, nullptr);                                                       \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##_v2_ptds(CUdeviceptr p, std::size_t pitch, type v, std::size_t w,              \
                                       std::size_t h) {                                                      \
    return fill(p, pitch, v, sizeof v, w, h, own);                                                           \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, std::size_t pitch, type v, std::size_t w, std::size_t h,  \
                                    CUstream s) {                                                            \
    return fill(p, pitch, v, sizeof v, w, h, s);                                                             \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##Async_ptsz(CUdeviceptr p, std::size_t pitch, type v, std::size_t w,            \
                                         std::size_t h, CUstream s) {                                        \
    return fill(p, pitch, v, sizeof v, w, h, per_thread(s));                                                 \
  }

PEGASUS_FILL(8, unsigned char)
PEGASUS_FILL(16, unsigned short)
PEGASUS_FILL(32, unsigned int)
#undef PEGASUS_FILL
