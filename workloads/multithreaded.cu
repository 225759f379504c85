// SPDX-License-Identifier: Apache-2.0
// Several host threads use one device at the same time: each with its own stream and buffers, all with the
// shared default stream, and each with its own per-thread default stream.
#include "workloads/common.h"

#include <mutex>
#include <thread>

using namespace workload;

__global__ void mix(unsigned* values, unsigned elements, unsigned key) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) values[i] = (values[i] ^ key) * 2654435761u + i;
}

__global__ void count(unsigned* counter, unsigned amount) {
  if (threadIdx.x == 0) atomicAdd(counter, amount);
}

struct Plan {
  std::uint64_t threads = 4, elements = 32768, rounds = 20;
};

static void mix_on_cpu(std::vector<unsigned>& values, unsigned key) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (values[i] ^ key) * 2654435761u + static_cast<unsigned>(i);
}

static std::string run_thread(Plan const& plan, unsigned id, unsigned* shared_counter) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreate(&stream));
  Random random(id * 7919 + 1);
  std::vector<unsigned> values(plan.elements), got(plan.elements);
  for (unsigned& value : values)
    value = random.next();
  std::size_t const bytes = plan.elements * sizeof(unsigned);
  unsigned const elements = static_cast<unsigned>(plan.elements), blocks = blocks_for(plan.elements, 128);
  std::string mismatch;
  {
    DeviceArray<unsigned> data(plan.elements);
    for (std::uint64_t round = 0; round < plan.rounds && mismatch.empty(); ++round) {
      unsigned const key = random.next();
      CHECK_CUDA(cudaMemcpyAsync(data.get(), values.data(), bytes, cudaMemcpyHostToDevice, stream));
      mix<<<blocks, 128, 0, stream>>>(data.get(), elements, key);
      CHECK_CUDA(cudaGetLastError());
      CHECK_CUDA(cudaMemcpyAsync(got.data(), data.get(), bytes, cudaMemcpyDeviceToHost, stream));
      count<<<1, 32>>>(shared_counter, id + 1);
      CHECK_CUDA(cudaGetLastError());
      count<<<1, 32, 0, cudaStreamPerThread>>>(shared_counter, 1000);
      CHECK_CUDA(cudaGetLastError());
      mix_on_cpu(values, key);
      CHECK_CUDA(cudaStreamSynchronize(stream));
      mismatch = first_mismatch("thread's values", got, values);
    }
  }
  CHECK_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK_CUDA(cudaStreamDestroy(stream));

  // The last error belongs to a thread: an error in one thread must not appear in another.
  bool const provoke = id % 2 == 0;
  if (provoke && cudaSetDevice(1 << 20) == cudaSuccess)
    return "cudaSetDevice accepted a device that is not there";
  cudaError_t const last = cudaGetLastError(), wanted = provoke ? cudaErrorInvalidDevice : cudaSuccess;
  if (mismatch.empty() && last != wanted)
    mismatch = std::string("a thread's last error is ") + cudaGetErrorName(last) + ", expected " +
               cudaGetErrorName(wanted);
  return mismatch;
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("multithreaded", "Runs kernels and copies from several host threads at once.")
      .number("--threads", plan.threads, 1, 64, "host threads")
      .number("--elements", plan.elements, 1, 1u << 24, "values in each thread's buffer")
      .number("--rounds", plan.rounds, 1, 100000, "copies in, launches and copies out of each thread")
      .parse(argc, argv);

  Stopwatch const watch;
  std::string mismatch;
  DeviceArray<unsigned> counter(1);
  counter.fill_bytes(0);
  CHECK_CUDA(cudaDeviceSynchronize());
  std::mutex guard;
  std::vector<std::thread> threads;
  unsigned expected = 0;
  for (unsigned id = 0; id < plan.threads; ++id) {
    expected += static_cast<unsigned>(plan.rounds) * (id + 1 + 1000);
    threads.emplace_back([&, id] {
      std::string const wrong = run_thread(plan, id, counter.get());
      std::lock_guard<std::mutex> const lock(guard);
      if (mismatch.empty()) mismatch = wrong;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK_CUDA(cudaDeviceSynchronize());
  if (mismatch.empty())
    mismatch = first_mismatch("shared counter", counter.download(), std::vector<unsigned>{expected});
  return report({"multithreaded", plan.threads * plan.elements * plan.rounds, "elements", watch.seconds()},
                mismatch);
}
