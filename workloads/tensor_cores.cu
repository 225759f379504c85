// SPDX-License-Identifier: Apache-2.0
// Products of square matrices on tensor cores: halves and signed bytes, with nvcuda::wmma, and with ldmatrix and mma
// in PTX. All values are chosen so that every sum is exact, whatever its order: results must equal plain sums.
#include "workloads/common.h"

#include <mma.h>

using namespace workload;
using namespace nvcuda;

namespace {

constexpr unsigned warps = 4; // of a block, one below the other
constexpr unsigned multiple = 16 * warps;

} // namespace

// C = A * B. A is stored by rows, B by columns, C by rows; n is the number of rows and columns. A warp makes 16x16 of C.
template <class T, class Sum> __global__ void multiply_wmma(T const* a, T const* b, Sum* c, unsigned n) {
  unsigned const row = (blockIdx.y * warps + threadIdx.y) * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  wmma::fill_fragment(sum, Sum(0));
  for (unsigned k = 0; k < n; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> of_b;
    wmma::load_matrix_sync(of_a, a + row * n + k, n);
    wmma::load_matrix_sync(of_b, b + column * n + k, n);
    wmma::mma_sync(sum, of_a, of_b, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

__device__ unsigned shared_address(void const* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// The same, 16x8 of C in a warp. B is stored by rows if `by_rows`: ldmatrix then transposes it.
template <bool by_rows> __global__ void multiply_mma(half const* a, half const* b, float* c, unsigned n) {
  __shared__ __align__(16) half of_a[warps][16][8], of_b[warps][8][8];
  unsigned const lane = threadIdx.x, warp = threadIdx.y;
  unsigned const row = (blockIdx.y * warps + warp) * 16, column = blockIdx.x * 8;
  float sum[4] = {};
  for (unsigned k = 0; k < n; k += 8) {
    for (unsigned i = lane; i < 128; i += 32)
      of_a[warp][i / 8][i % 8] = a[(row + i / 8) * n + k + i % 8];
    for (unsigned i = lane; i < 64; i += 32)
      of_b[warp][i / 8][i % 8] =
          by_rows ? b[(k + i / 8) * n + column + i % 8] : b[(column + i / 8) * n + k + i % 8];
    __syncwarp();
    unsigned a0, a1, b0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a0), "=r"(a1)
                 : "r"(shared_address(of_a[warp][lane % 16])));
    if (by_rows)
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                   : "=r"(b0)
                   : "r"(shared_address(of_b[warp][lane % 8])));
    else
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                   : "=r"(b0)
                   : "r"(shared_address(of_b[warp][lane % 8])));
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a0), "r"(a1), "r"(b0));
    __syncwarp();
  }
  for (unsigned i = 0; i < 4; ++i)
    c[(row + lane / 4 + i / 2 * 8) * n + column + lane % 4 * 2 + i % 2] = sum[i];
}

// Signed bytes, 8x8 of C in a warp, two of them one below the other: the same grid as above.
__global__ void multiply_mma(signed char const* a, signed char const* b, int* c, unsigned n) {
  unsigned const lane = threadIdx.x;
  unsigned const top = (blockIdx.y * warps + threadIdx.y) * 16, column = blockIdx.x * 8;
  for (unsigned row = top; row < top + 16; row += 8) {
    int sum[2] = {};
    for (unsigned k = 0; k < n; k += 16) {
      unsigned const at = k + lane % 4 * 4;
      int const of_a = *reinterpret_cast<int const*>(a + (row + lane / 4) * n + at);
      int const of_b = *reinterpret_cast<int const*>(b + (column + lane / 4) * n + at);
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                   : "+r"(sum[0]), "+r"(sum[1])
                   : "r"(of_a), "r"(of_b));
    }
    for (unsigned i = 0; i < 2; ++i)
      c[(row + lane / 4) * n + column + lane % 4 * 2 + i] = sum[i];
  }
}

namespace {

// Matrices of one type of element, with the right result.
template <class T, class Sum> struct Example {
  unsigned n;
  std::vector<T> a, b, b_by_rows;
  std::vector<Sum> c;

  template <class Draw> Example(unsigned size, Draw const& draw) : n(size), b_by_rows(n * n), c(n * n) {
    std::vector<float> numbers_a, numbers_b;
    for (unsigned i = 0; i < n * n; ++i) {
      numbers_a.push_back(draw());
      numbers_b.push_back(draw());
      a.push_back(T(numbers_a.back()));
      b.push_back(T(numbers_b.back()));
    }
    for (unsigned row = 0; row < n; ++row)
      for (unsigned column = 0; column < n; ++column) {
        b_by_rows[row * n + column] = b[column * n + row];
        float sum = 0;
        for (unsigned k = 0; k < n; ++k)
          sum += numbers_a[row * n + k] * numbers_b[column * n + k];
        c[row * n + column] = Sum(sum);
      }
  }
};

template <class Kernel, class T, class Sum>
void compare(char const* what, Kernel const& kernel, unsigned tile_columns, Example<T, Sum> const& example,
             std::vector<T> const& b) {
  unsigned const n = example.n;
  DeviceArray<T> const device_a(example.a), device_b(b);
  DeviceArray<Sum> device_c(example.c.size());
  device_c.fill_bytes(0xff);
  kernel<<<dim3(n / tile_columns, n / multiple), dim3(32, warps)>>>(device_a.get(), device_b.get(),
                                                                    device_c.get(), n);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  std::string const difference = first_mismatch(what, device_c.download(), example.c);
  if (!difference.empty()) fail("%s", difference.c_str());
}

} // namespace

int main(int argc, char** argv) {
  std::uint64_t size = 128;
  Arguments("tensor_cores", "Multiplies square matrices of halves and bytes on tensor cores.")
      .number("--size", size, multiple, 1024,
              "rows and columns of a matrix, rounded down to a multiple of 64")
      .parse(argc, argv);
  unsigned const n = static_cast<unsigned>(size) / multiple * multiple;

  int device = 0;
  cudaDeviceProp properties{};
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaGetDeviceProperties(&properties, device));
  if (properties.major * 10 + properties.minor < 75) fail("the device has a compute capability below 7.5");

  // Sums of at most 1,024 products: multiples of 1/64 below 2^12, and whole numbers below 2^24.
  Random random;
  Example<half, float> const halves(n, [&] { return static_cast<float>(random.next() % 33) / 8 - 2; });
  Example<signed char, int> const bytes(n, [&] { return static_cast<float>(random.next() % 255) - 127; });

  Stopwatch const watch;
  compare("wmma, f16", multiply_wmma<half, float>, 16, halves, halves.b);
  compare("wmma, s8", multiply_wmma<signed char, int>, 16, bytes, bytes.b);
  compare("mma, f16", multiply_mma<false>, 8, halves, halves.b);
  compare("mma, f16, transposed", multiply_mma<true>, 8, halves, halves.b_by_rows);
  void (*const of_bytes)(signed char const*, signed char const*, int*, unsigned) = multiply_mma;
  compare("mma, s8", of_bytes, 8, bytes, bytes.b);
  return report({"tensor_cores", std::uint64_t{5} * n * n * n, "products", watch.seconds()}, "");
}
