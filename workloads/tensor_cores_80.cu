// SPDX-License-Identifier: Apache-2.0
// Compute capability 8.0: nvcuda::wmma of bf16, tf32 and double, mma of wider shapes and ldmatrix behind copies to shared
// memory that are asynchronous, arithmetic of bf16, reductions of a warp, and barriers as objects. The program has PTX for
// 8.0 only. All values are chosen so that every sum is exact, whatever its order.
#include "workloads/common.h"

#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace workload;
using namespace nvcuda;

namespace {

constexpr unsigned multiple = 32; // of the rows and columns of a matrix
constexpr unsigned threads = 128; // of a block that does something else

} // namespace

template <class T> struct Tile { // what a warp makes at once, and the type in the fragments
  static constexpr int m = 16, n = 16, k = 16;
  using Factor = T;
};
template <> struct Tile<float> {
  static constexpr int m = 16, n = 16, k = 8;
  using Factor = wmma::precision::tf32;
};
template <> struct Tile<double> {
  static constexpr int m = 8, n = 8, k = 4;
  using Factor = double;
};

// C = A * B, n rows and columns. A and C are stored by rows, B by columns. A block is one warp.
template <class T, class Sum> __global__ void multiply_wmma(T const* a, T const* b, Sum* c, unsigned n) {
  using Of = Tile<T>;
  unsigned const row = blockIdx.y * Of::m, column = blockIdx.x * Of::n;
  wmma::fragment<wmma::accumulator, Of::m, Of::n, Of::k, Sum> sum;
  wmma::fill_fragment(sum, Sum(0));
  for (unsigned k = 0; k < n; k += Of::k) {
    wmma::fragment<wmma::matrix_a, Of::m, Of::n, Of::k, typename Of::Factor, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, Of::m, Of::n, Of::k, typename Of::Factor, wmma::col_major> of_b;
    wmma::load_matrix_sync(of_a, a + row * n + k, n);
    wmma::load_matrix_sync(of_b, b + column * n + k, n);
    if constexpr (std::is_same_v<T, float>) {
      for (unsigned i = 0; i < of_a.num_elements; ++i)
        of_a.x[i] = wmma::__float_to_tf32(of_a.x[i]);
      for (unsigned i = 0; i < of_b.num_elements; ++i)
        of_b.x[i] = wmma::__float_to_tf32(of_b.x[i]);
    }
    wmma::mma_sync(sum, of_a, of_b, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

__device__ unsigned shared_address(void const* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// The same with mma.m16n8k16, of which a warp makes one product; two stages of copies are under way at a time.
__global__ void multiply_mma(__nv_bfloat16 const* a, __nv_bfloat16 const* b, float* c, unsigned n) {
  __shared__ __align__(16) __nv_bfloat16 of_a[2][16][16], of_b[2][8][16];
  unsigned const lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
  auto const fetch = [&](unsigned stage, unsigned k) {
    __pipeline_memcpy_async(&of_a[stage][lane / 2][lane % 2 * 8], a + (row + lane / 2) * n + k + lane % 2 * 8,
                            16);
    if (lane < 16)
      __pipeline_memcpy_async(&of_b[stage][lane / 2][lane % 2 * 8],
                              b + (column + lane / 2) * n + k + lane % 2 * 8, 16);
    __pipeline_commit();
  };
  float sum[4] = {};
  fetch(0, 0);
  for (unsigned k = 0; k < n; k += 16) {
    unsigned const stage = k / 16 % 2;
    if (k + 16 < n) {
      fetch(1 - stage, k + 16);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncwarp();
    unsigned x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(&of_a[stage][lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(shared_address(&of_b[stage][lane % 8][lane / 8 % 2 * 8])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    __syncwarp();
  }
  for (unsigned i = 0; i < 4; ++i)
    c[(row + lane / 4 + i / 2 * 8) * n + column + lane % 4 * 2 + i % 2] = sum[i];
}

// Reductions of each warp: sum, smallest, largest, and the bits of all; six numbers for each warp.
__global__ void reduce(unsigned const* numbers, unsigned* results) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x, v = numbers[i];
  unsigned const all = ~0u;
  unsigned const of_warp[6] = {__reduce_add_sync(all, v),
                               __reduce_min_sync(all, v),
                               static_cast<unsigned>(__reduce_max_sync(all, static_cast<int>(v))),
                               __reduce_and_sync(all, v),
                               __reduce_or_sync(all, v),
                               __reduce_xor_sync(all, v)};
  for (unsigned k = 0; k < 6; ++k)
    if (threadIdx.x % 32 == k) results[i / 32 * 6 + k] = of_warp[k];
}

// a * x + y of pairs of bf16, not below zero.
__global__ void scale(__nv_bfloat162 const* x, __nv_bfloat162 const* y, __nv_bfloat162* z, float factor) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = __hfma2_relu(__float2bfloat162_rn(factor), x[i], y[i]);
}

// Each block reverses its numbers through shared memory; a barrier counts the copies and the threads.
__global__ void reverse(unsigned const* from, unsigned* to) {
  __shared__ unsigned numbers[threads];
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) unsigned char storage[sizeof(Barrier)];
  Barrier& barrier = *reinterpret_cast<Barrier*>(storage);
  if (threadIdx.x == 0) init(&barrier, threads);
  __syncthreads();
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  cuda::memcpy_async(numbers + threadIdx.x, from + i, cuda::aligned_size_t<4>(4), barrier);
  barrier.arrive_and_wait();
  to[i] = numbers[threads - 1 - threadIdx.x];
  barrier.arrive_and_wait();
}

namespace {

template <class T> void expect(char const* what, DeviceArray<T> const& got, std::vector<T> const& wanted) {
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  std::string const difference = first_mismatch(what, got.download(), wanted);
  if (!difference.empty()) fail("%s", difference.c_str());
}

// Elements between -2 and 2 in steps of 1/8: their products are exact, and so are sums of a thousand.
template <class T, class Sum> struct Example {
  unsigned n;
  std::vector<T> a, b;
  std::vector<Sum> c;

  Example(unsigned size, Random& random) : n(size), c(n * n) {
    std::vector<float> numbers[2];
    for (unsigned i = 0; i < n * n; ++i)
      for (unsigned k = 0; k < 2; ++k)
        numbers[k].push_back(static_cast<float>(random.next() % 33) / 8 - 2);
    for (float const v : numbers[0])
      a.push_back(T(v));
    for (float const v : numbers[1])
      b.push_back(T(v));
    for (unsigned row = 0; row < n; ++row)
      for (unsigned column = 0; column < n; ++column)
        for (unsigned k = 0; k < n; ++k)
          c[row * n + column] += Sum(numbers[0][row * n + k] * numbers[1][column * n + k]);
  }

  template <class Kernel>
  void run(char const* what, Kernel const& kernel, unsigned rows, unsigned columns) const {
    DeviceArray<T> const of_a(a), of_b(b);
    DeviceArray<Sum> of_c(c.size());
    of_c.fill_bytes(0xff);
    kernel<<<dim3(n / columns, n / rows), 32>>>(of_a.get(), of_b.get(), of_c.get(), n);
    expect(what, of_c, c);
  }
};

void check_reductions(std::vector<unsigned> const& numbers) {
  std::vector<unsigned> wanted;
  for (std::size_t first = 0; first < numbers.size(); first += 32) {
    unsigned sum = 0, smallest = ~0u, all = ~0u, any = 0, differing = 0;
    int largest = -2147483647 - 1;
    for (std::size_t i = first; i < first + 32; ++i) {
      sum += numbers[i];
      smallest = std::min(smallest, numbers[i]);
      largest = std::max(largest, static_cast<int>(numbers[i]));
      all &= numbers[i];
      any |= numbers[i];
      differing ^= numbers[i];
    }
    wanted.insert(wanted.end(), {sum, smallest, static_cast<unsigned>(largest), all, any, differing});
  }
  DeviceArray<unsigned> const from(numbers);
  DeviceArray<unsigned> results(wanted.size());
  reduce<<<static_cast<unsigned>(numbers.size()) / threads, threads>>>(from.get(), results.get());
  expect("reductions of warps", results, wanted);
}

void check_reversal(std::vector<unsigned> const& numbers) {
  std::vector<unsigned> wanted = numbers;
  for (auto at = wanted.begin(); at != wanted.end(); at += threads)
    std::reverse(at, at + threads);
  DeviceArray<unsigned> const from(numbers);
  DeviceArray<unsigned> to(numbers.size());
  reverse<<<static_cast<unsigned>(numbers.size()) / threads, threads>>>(from.get(), to.get());
  expect("blocks reversed behind a barrier", to, wanted);
}

// Multiples of 1/4 below 16: exact in the 8 bits of bf16, and so are the results.
void check_bf16(std::size_t count, Random& random) {
  std::vector<unsigned> x, y, wanted;
  auto const bits = [](float v) {
    unsigned word = 0;
    std::memcpy(&word, &v, sizeof word);
    return word >> 16;
  };
  for (std::size_t i = 0; i < count; ++i) {
    unsigned of_x = 0, of_y = 0, of_z = 0;
    for (unsigned half = 0; half < 32; half += 16) {
      float const a = static_cast<float>(random.next() % 33) / 4 - 4,
                  b = static_cast<float>(random.next() % 33) / 4 - 4;
      of_x |= bits(a) << half;
      of_y |= bits(b) << half;
      of_z |= bits(std::max(0.0f, 2 * a + b)) << half;
    }
    x.push_back(of_x);
    y.push_back(of_y);
    wanted.push_back(of_z);
  }
  DeviceArray<unsigned> const from_x(x), from_y(y);
  DeviceArray<unsigned> z(count);
  auto const pairs = [](unsigned const* at) { return reinterpret_cast<__nv_bfloat162 const*>(at); };
  scale<<<static_cast<unsigned>(count) / threads, threads>>>(
      pairs(from_x.get()), pairs(from_y.get()), reinterpret_cast<__nv_bfloat162*>(z.get()), 2.0f);
  expect("fma of bf16", z, wanted);
}

} // namespace

int main(int argc, char** argv) {
  std::uint64_t size = 64;
  Arguments("tensor_cores_80", "Multiplies square matrices on tensor cores of compute capability 8.0.")
      .number("--size", size, multiple, 1024,
              "rows and columns of a matrix, rounded down to a multiple of 32")
      .parse(argc, argv);
  unsigned const n = static_cast<unsigned>(size) / multiple * multiple;

  Random random;
  Example<__nv_bfloat16, float> const of_bf16(n, random);
  Example<float, float> const of_tf32(n, random);
  Example<double, double> const of_double(n, random);
  std::vector<unsigned> numbers(n * n / threads * threads);
  for (unsigned& number : numbers)
    number = static_cast<unsigned>(random.next());

  Stopwatch const watch;
  of_bf16.run("wmma, bf16", multiply_wmma<__nv_bfloat16, float>, 16, 16);
  of_tf32.run("wmma, tf32", multiply_wmma<float, float>, 16, 16);
  of_double.run("wmma, f64", multiply_wmma<double, double>, 8, 8);
  of_bf16.run("mma, bf16, behind asynchronous copies", multiply_mma, 16, 8);
  check_reductions(numbers);
  check_reversal(numbers);
  check_bf16(numbers.size(), random);
  return report({"tensor_cores_80", std::uint64_t{4} * n * n * n, "products", watch.seconds()}, "");
}
