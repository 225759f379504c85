// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation as array libraries use it: each step takes memory for its results and frees its inputs, in
// several streams and without a wait; what the pool says of itself; and the same in a graph.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned threads = 128;

__global__ void begin(unsigned* values, unsigned count, unsigned seed) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = i * seed;
}

// Not in place: the input's memory is freed behind this, and may be the next step's result.
__global__ void step(unsigned const* from, unsigned* to, unsigned count, unsigned number) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[count - 1 - i] * 3 + number;
}

// One array library's stream, with the array of its last step.
class Chain {
public:
  Chain(unsigned count, unsigned seed) : count_(count), expected_(count) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK_CUDA(cudaMallocAsync(&values_, bytes(), stream_));
    begin<<<blocks_for(count_, threads), threads, 0, stream_>>>(values_, count_, seed);
    CHECK_CUDA(cudaGetLastError());
    for (unsigned i = 0; i < count; ++i)
      expected_[i] = i * seed;
  }
  ~Chain() { CHECK_CUDA(cudaStreamDestroy(stream_)); }
  Chain(Chain const&) = delete;
  Chain& operator=(Chain const&) = delete;

  void advance(unsigned number) {
    unsigned* next = nullptr;
    CHECK_CUDA(cudaMallocAsync(&next, bytes(), stream_));
    step<<<blocks_for(count_, threads), threads, 0, stream_>>>(values_, next, count_, number);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaFreeAsync(values_, stream_));
    values_ = next;
    std::vector<unsigned> const before = expected_;
    for (unsigned i = 0; i < count_; ++i)
      expected_[i] = before[count_ - 1 - i] * 3 + number;
  }
  std::string finish() {
    std::vector<unsigned> got(count_);
    CHECK_CUDA(cudaMemcpyAsync(got.data(), values_, bytes(), cudaMemcpyDeviceToHost, stream_));
    CHECK_CUDA(cudaFreeAsync(values_, stream_));
    CHECK_CUDA(cudaStreamSynchronize(stream_));
    return first_mismatch("values", got, expected_);
  }
  std::size_t bytes() const { return count_ * sizeof(unsigned); }

private:
  unsigned count_;
  std::vector<unsigned> expected_;
  cudaStream_t stream_ = nullptr;
  unsigned* values_ = nullptr;
};

// The same in a graph: captured once, launched again and again.
static std::string run_captured(unsigned count, unsigned launches, std::uint64_t& work) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  unsigned *first = nullptr, *second = nullptr;
  std::size_t const bytes = count * sizeof(unsigned);
  unsigned const blocks = blocks_for(count, threads);
  DeviceArray<unsigned> result(count);
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_CUDA(cudaMallocAsync(&first, bytes, stream));
  begin<<<blocks, threads, 0, stream>>>(first, count, 5);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMallocAsync(&second, bytes, stream));
  step<<<blocks, threads, 0, stream>>>(first, second, count, 7);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaFreeAsync(first, stream));
  step<<<blocks, threads, 0, stream>>>(second, result.get(), count, 9);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaFreeAsync(second, stream));
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<unsigned> expected(count);
  for (unsigned i = 0; i < count; ++i)
    expected[i] = (i * 5 * 3 + 7) * 3 + 9;
  std::string mismatch;
  for (unsigned launch = 0; launch < launches && mismatch.empty(); ++launch) {
    result.fill_bytes(0);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaGraphLaunch(exec, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    mismatch = first_mismatch("captured", result.download(), expected);
    work += count;
  }
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaStreamDestroy(stream));
  return mismatch;
}

class Pool {
public:
  Pool() {
    int device = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&pool_, device));
  }
  void keep(std::uint64_t threshold) {
    CHECK_CUDA(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &threshold));
  }
  std::uint64_t get(cudaMemPoolAttr attribute) const {
    std::uint64_t value = 0;
    CHECK_CUDA(cudaMemPoolGetAttribute(pool_, attribute, &value));
    return value;
  }
  void trim() { CHECK_CUDA(cudaMemPoolTrimTo(pool_, 0)); }

private:
  cudaMemPool_t pool_ = nullptr;
};

// Sizes that differ: what one stream has freed is of use to itself.
static std::string run_chains(unsigned elements, unsigned steps, std::uint64_t& work) {
  Chain first(elements, 1), second(elements / 2 + 1, 2), third(elements / 3 + 1, 3);
  for (unsigned number = 0; number < steps; ++number)
    for (Chain* const chain : {&first, &second, &third})
      chain->advance(number);
  std::string mismatch;
  for (Chain* const chain : {&first, &second, &third}) {
    std::string const found = chain->finish();
    if (mismatch.empty()) mismatch = found;
    work += chain->bytes() / sizeof(unsigned) * steps;
  }
  return mismatch;
}

int main(int argc, char** argv) {
  std::uint64_t elements = 20000, steps = 50;
  Arguments("pools", "Takes and frees memory in the order of streams, and asks the pool what it has.")
      .number("--elements", elements, 1, 1 << 24, "of the largest array")
      .number("--steps", steps, 1, 100000, "how many arrays each stream has, one after the other")
      .parse(argc, argv);
  Pool pool;
  Stopwatch const watch;
  std::uint64_t work = 0;
  auto const run = [&] {
    return run_chains(static_cast<unsigned>(elements), static_cast<unsigned>(steps), work);
  };
  std::string mismatch = run();
  CHECK_CUDA(cudaDeviceSynchronize());
  auto const check = [&](bool holds, char const* what) {
    if (mismatch.empty() && !holds) mismatch = what;
  };
  check(pool.get(cudaMemPoolAttrUsedMemCurrent) == 0, "memory is used after all of it was freed");
  check(pool.get(cudaMemPoolAttrUsedMemHigh) >= elements * sizeof(unsigned), "less was used than there was");

  pool.keep(UINT64_MAX);
  if (mismatch.empty()) mismatch = run();
  CHECK_CUDA(cudaDeviceSynchronize());
  check(pool.get(cudaMemPoolAttrReservedMemHigh) >= pool.get(cudaMemPoolAttrUsedMemHigh),
        "more was used than reserved");
  pool.trim();
  check(pool.get(cudaMemPoolAttrReservedMemCurrent) == 0, "the trimmed pool has memory");
  if (mismatch.empty()) mismatch = run_captured(static_cast<unsigned>(elements), 3, work);
  return report({"pools", work, "elements", watch.seconds()}, mismatch);
}
