// SPDX-License-Identifier: Apache-2.0
// Every kind of syntax that the compiler writes; compiled, never run.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>

struct Part {
  float a;
  double b;
  char name[13];
};

__constant__ Part table[3] = {{1.0f, 2.0, "hello"}, {3.0f, 4.0, "x"}, {}};
__device__ int number = 7;
__device__ float numbers[2][5] = {{1, 2, 3}, {4}};
__device__ int* pointer = &number;
__device__ char const* text = "text";
__managed__ int managed = 3;
extern __shared__ float dynamic[];

__device__ __noinline__ float talk(float x, Part p) {
  if (x < 0) printf("%f %s\n", static_cast<double>(x), p.name);
  return x * p.a + static_cast<float>(p.b);
}
__device__ __noinline__ float plus(float x) { return x + 1; }
__device__ __noinline__ float times(float x) { return x * 2; }
__device__ float (*functions[2])(float) = {plus, times};

struct Base {
  __device__ virtual float go(float) = 0;
};
struct First : Base {
  float q;
  __device__ float go(float x) override { return x + q; }
};
struct Second : Base {
  __device__ float go(float x) override { return x * 2; }
};

__global__ void __launch_bounds__(256, 2)
    everything(float* p, Part part, int n, cudaTextureObject_t texture) {
  __shared__ float shared[32];
  unsigned const i = threadIdx.x + blockIdx.x * blockDim.x;
  float local[16];
  for (int j = 0; j < 16; ++j)
    local[(j * n) & 15] = p[j];
  shared[i & 31] = local[n & 15];
  __syncthreads();
  float4 const v = tex2D<float4>(texture, p[0], p[1]);
  assert(n > 0);
  auto const warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  float x = warp.shfl_down(v.x, 1);
  switch (n) {
  case 0:
    x += 1;
    break;
  case 1:
    x *= 3;
    break;
  case 2:
    x = sinf(x);
    break;
  case 3:
    x = sqrtf(x);
    break;
  case 4:
    x = x / 3;
    break;
  case 5:
    x = table[1].a;
    break;
  default:
    x = dynamic[i];
  }
  p[i] = talk(x, part) + shared[(i + 1) & 31] + functions[n & 1](x) + __ballot_sync(~0u, x > 1) + text[n];
  atomicAdd(pointer, 1);
  atomicAdd(p, 1.0f);
  int* const heap = static_cast<int*>(malloc(4));
  *heap = managed;
  free(heap);
  for (int j = 0; j < 2; ++j)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p bra DONE; membar.gl; DONE: }" ::"r"(n + j));
  numbers[0][n & 3] += __popcll(n) * __brev(n) + __dp4a(n, n, n);
}

__global__ void matrices(half* a, half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c, fc, 16, mem_row_major);
  half2* const h = reinterpret_cast<half2*>(a);
  h[0] = __hfma2(h[1], h[2], h[3]);
  atomicAdd(h, h[4]);
}

__global__ void virtuals(float* out, int n) {
  First first;
  first.q = static_cast<float>(n);
  Second second;
  Base* const base = n != 0 ? static_cast<Base*>(&first) : static_cast<Base*>(&second);
  out[0] = base->go(out[1]);
}
