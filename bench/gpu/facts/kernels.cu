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

// Keeps the GPU busy until *flag is not 0, or for limit_ns. One thread looks at the flag, which is in the host's
// memory, every 100 us, and adds to *rounds, which is there as well; it passes the end on through *over, in the
// device's own memory, which is 0 at first and which all others look at every now and then. So no thread waits for
// the bus for long, and what takes a context off the GPU does not either.
extern "C" __global__ void endless(unsigned const volatile* flag, unsigned long long volatile* rounds,
                                   unsigned volatile* over, unsigned long long limit_ns) {
  bool const looks = blockIdx.x == 0 && threadIdx.x == 0;
  unsigned long long const begin = global_ns();
  unsigned long long count = looks ? *rounds : 0;
  while (*over == 0 && global_ns() - begin < limit_ns) {
    if (looks) {
      if (*flag != 0) *over = 1;
      *rounds = ++count;
      for (unsigned long long const from = global_ns(); global_ns() - from < 100'000;) {
      }
    } else {
      for (unsigned long long const from = clock64(); clock64() - from < 20'000;) {
      }
    }
  }
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
