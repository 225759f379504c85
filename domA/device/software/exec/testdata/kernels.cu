// SPDX-License-Identifier: Apache-2.0
// Kernels as in real programs, compiled by nvcc when the tests are built.
#include "domA/device/software/exec/testdata/shared_code.h"

#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

KERNEL mandelbrot(int* out, int width, int height, int limit) {
  int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = both::mandelbrot(3.0f * x / width - 2.0f, 2.0f * y / height - 1.0f, limit);
}

KERNEL integers(unsigned long long* hash, long long* quotients, int* machine, unsigned* steps, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  hash[i] = both::mix64(i);
  quotients[i] = both::divisions(static_cast<long long>(both::mix64(i)), i);
  machine[i] = both::state_machine(i);
  steps[i] = both::collatz(i + 1);
}

KERNEL matmul(float const* a, float const* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int const row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum = fmaf(ta[threadIdx.y][k], tb[k][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

KERNEL reduce(int const* in, int* out, int n) {
  __shared__ int part[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2)
      sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

KERNEL scan(int* data, int n) {
  extern __shared__ int buffer[];
  int const i = threadIdx.x;
  buffer[i] = i < n ? data[i] : 0;
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    int const v = i >= d ? buffer[i - d] : 0;
    __syncthreads();
    buffer[i] += v;
  }
  if (i < n) data[i] = buffer[i];
}

KERNEL bitonic(unsigned* data, int n) {
  extern __shared__ unsigned keys[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    keys[i] = data[i];
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int const other = i ^ j;
        if (other > i && (keys[i] > keys[other]) == ((i & k) == 0)) {
          unsigned const t = keys[i];
          keys[i] = keys[other];
          keys[other] = t;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = keys[i];
}

KERNEL histogram(unsigned char const* text, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[text[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
}

// Results of the device's mathematical functions, in single and double precision.
KERNEL mathematics(float const* f, double const* d, float* single, double* wide, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float const x = f[i];
  double const y = d[i];
  float* s = single + 16 * i;
  double* w = wide + 16 * i;
  s[0] = sinf(x), s[1] = cosf(x), s[2] = expf(x), s[3] = logf(fabsf(x)), s[4] = powf(fabsf(x), 1.7f);
  s[5] = tanhf(x), s[6] = sqrtf(fabsf(x)), s[7] = x / 3.0f, s[8] = erff(x), s[9] = atan2f(x, 2.0f);
  s[10] = floorf(x), s[11] = fmodf(x, 0.7f), s[12] = __expf(x), s[13] = rsqrtf(fabsf(x)), s[14] = roundf(x);
  s[15] = cbrtf(x);
  w[0] = sin(y), w[1] = cos(y), w[2] = exp(y), w[3] = log(fabs(y)), w[4] = pow(fabs(y), 1.7), w[5] = tanh(y);
  w[6] = sqrt(fabs(y)), w[7] = 1.0 / y, w[8] = erf(y), w[9] = atan2(y, 2.0), w[10] = ceil(y),
  w[11] = fmod(y, 0.7);
  w[12] = rint(y), w[13] = lgamma(fabs(y)), w[14] = y / 3.0, w[15] = cbrt(y);
}

KERNEL halves(__half const* in, __half* out, __half2* pairs, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half const x = in[i];
  out[i] = __hfma(x, x, __float2half(0.5f));
  pairs[i] = __hadd2(__halves2half2(x, out[i]), __float2half2_rn(1.0f));
}

KERNEL ackermann(int* out) { out[threadIdx.x] = both::ackermann(threadIdx.x % 3, threadIdx.x % 5); }

KERNEL particles(both::Particle* p, both::Particle first, int steps) {
  int const i = threadIdx.x;
  both::Particle q = i == 0 ? first : p[i];
  for (int s = 0; s < steps; ++s)
    q = both::step(q, 0.01);
  p[i] = q;
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ explicit Square(float s) : a(s) {}
  __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
  float r;
  __device__ explicit Circle(float s) : r(s) {}
  __device__ float area() const override { return 3.0f * r * r; }
};

KERNEL shapes(float* out) {
  int const i = threadIdx.x;
  Shape* const s = i % 2 == 0 ? static_cast<Shape*>(new Square(i)) : new Circle(i);
  out[i] = s->area();
  delete s;
}

KERNEL prints(int n) {
  if (threadIdx.x < n)
    printf("block %d thread %d of %u: %s %.3f %lld\n", blockIdx.x, threadIdx.x, blockDim.x, "text",
           0.5 * threadIdx.x, 1ll << 40);
}

KERNEL asserts(int limit) { assert(threadIdx.x < limit); }

// A local array with dynamic indices.
KERNEL local_sort(int* data, int n) {
  int v[24];
  for (int i = 0; i < 24; ++i)
    v[i] = data[(threadIdx.x * 24 + i) % n];
  for (int i = 1; i < 24; ++i) {
    int const key = v[i];
    int j = i;
    for (; j > 0 && v[j - 1] > key; --j)
      v[j] = v[j - 1];
    v[j] = key;
  }
  __syncthreads();
  for (int i = 0; i < 24; ++i)
    data[threadIdx.x * 24 + i] = v[i];
}

__device__ int last_block_counter;
__constant__ int weights[4] = {1, 10, 100, 1000};

KERNEL last_block(int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = weights[blockIdx.x % 4];
    __threadfence();
    last = atomicAdd(&last_block_counter, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i)
      sum += reinterpret_cast<int volatile*>(out)[1 + i];
    out[0] = sum;
  }
}

// In every round each block adds what its neighbour wrote in the previous round.
KERNEL grid_rounds(int* cells, int rounds) {
  auto const grid = cooperative_groups::this_grid();
  for (int r = 0; r < rounds; ++r) {
    int const neighbour = reinterpret_cast<int volatile*>(cells)[(blockIdx.x + 1) % gridDim.x];
    grid.sync();
    if (threadIdx.x == 0) cells[blockIdx.x] += neighbour;
    grid.sync();
  }
}
