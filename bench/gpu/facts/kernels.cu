// SPDX-License-Identifier: Apache-2.0
// The kernels of gpu_facts. Built twice: as PTX, which any driver compiles, and as machine code only.

__device__ unsigned long long global_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

extern "C" __global__ void empty() {}

// Takes `cycles` of the multiprocessor's clock at least. Adds 1 to *done and writes how many it took.
extern "C" __global__ void spin(unsigned long long cycles, unsigned long long* took,
                                unsigned long long volatile* done) {
  unsigned long long const begin = clock64();
  while (clock64() - begin < cycles) {
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  *took = clock64() - begin;
  *done = *done + 1;
}

// Runs until *flag is not 0, or for limit_ns; adds to *rounds meanwhile.
extern "C" __global__ void endless(unsigned const volatile* flag, unsigned long long volatile* rounds,
                                   unsigned long long limit_ns) {
  bool const counts = blockIdx.x == 0 && threadIdx.x == 0;
  unsigned long long const begin = global_ns();
  while (*flag == 0 && global_ns() - begin < limit_ns)
    if (counts) *rounds = *rounds + 1;
}

extern "C" __global__ void fill(unsigned* words, unsigned long long count, unsigned value) {
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    words[i] = value;
}

extern "C" __global__ void count_equal(unsigned const* words, unsigned long long count, unsigned value,
                                       unsigned long long* found) {
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (words[i] == value) atomicAdd(found, 1ull);
}
