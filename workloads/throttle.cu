// SPDX-License-Identifier: Apache-2.0
// Kernels of a chosen length, one at a time: the load for measuring scheduling. Their work is a chain of
// integer steps whose result the CPU knows in closed form: a lost or repeated launch is detected.
#include "workloads/chain.h"
#include "workloads/common.h"

using namespace workload;

struct Span {
  unsigned long long begin, end; // nanoseconds of the device's clock
};

__device__ unsigned long long device_clock() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory"); // the work stays between two of these
  return now;
}

__device__ unsigned steps(unsigned value, unsigned rounds, unsigned factor, unsigned addend) {
#pragma unroll 4
  for (unsigned round = 0; round < rounds; ++round)
    value = value * factor + addend;
  return value;
}

__global__ void burn(unsigned* values, unsigned rounds, unsigned factor, unsigned addend) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = steps(values[i], rounds, factor, addend);
}

__global__ void burn_timed(unsigned* values, unsigned rounds, unsigned factor, unsigned addend, Span* span) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long const begin = device_clock();
  values[i] = steps(values[i], rounds, factor, addend);
  unsigned long long const end = device_clock();
  if (threadIdx.x % 32 == 0) {
    atomicMin(&span->begin, begin);
    atomicMax(&span->end, end);
  }
}

// Finds how many rounds take the requested time. Timed by events; but if other programs use the device too,
// their kernels may run between two events. The kernel therefore also reads the device's clock, and the
// shorter time counts.
class Calibration {
public:
  Calibration(unsigned blocks, unsigned threads)
      : blocks_(blocks), threads_(threads), values_(std::size_t{blocks} * threads), span_(1) {
    values_.fill_bytes(0);
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
  }
  Calibration(Calibration const&) = delete;
  Calibration& operator=(Calibration const&) = delete;
  ~Calibration() {
    CHECK_CUDA(cudaEventDestroy(begin_));
    CHECK_CUDA(cudaEventDestroy(end_));
  }

  unsigned rounds_for(double microseconds) {
    constexpr unsigned most = 1u << 28;
    unsigned rounds = 64;
    double once = best_of_three(rounds);
    while (once < std::max(microseconds / 2, 50.0) && rounds < most)
      once = best_of_three(rounds *= 2);
    // Two lengths, to separate the fixed cost of a launch from the rounds.
    double const twice = best_of_three(2 * rounds);
    double const per_round = std::clamp((twice - once) / rounds, once / rounds / 4, once / rounds);
    double const fixed = std::max(once - per_round * rounds, 0.0);
    auto const bounded = [](double wanted) {
      return static_cast<unsigned>(std::min(std::max(wanted, 1.0), double{most}));
    };
    unsigned found = bounded((microseconds - fixed) / per_round);
    // On a busy machine a measured time may be far too long, never too short, and the kernels come out too
    // short. A kernel that is seen to be too short is lengthened; long ones are not measured again.
    for (int again = 0; again < 8 && found < most && microseconds <= 100e3; ++again) {
      double const lasts = best_of_three(found);
      if (lasts >= 0.8 * microseconds) break;
      found = bounded(found * (microseconds / std::max(lasts, microseconds / 16)));
    }
    return found;
  }

private:
  double best_of_three(unsigned rounds) {
    double best = time_once(rounds);
    for (int again = 0; again < 2; ++again)
      best = std::min(best, time_once(rounds));
    return best;
  }

  double time_once(unsigned rounds) {
    span_.upload({{~0ull, 0}});
    CHECK_CUDA(cudaEventRecord(begin_));
    burn_timed<<<blocks_, threads_>>>(values_.get(), rounds, multiplier, increment, span_.get());
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(end_));
    CHECK_CUDA(cudaEventSynchronize(end_));
    float by_events = 0;
    CHECK_CUDA(cudaEventElapsedTime(&by_events, begin_, end_));
    Span const span = span_.download()[0];
    double const microseconds = static_cast<double>(by_events) * 1e3;
    if (span.end <= span.begin) return microseconds; // the clock is too coarse to measure the kernel
    return std::min(microseconds, static_cast<double>(span.end - span.begin) / 1e3);
  }

  unsigned blocks_, threads_;
  DeviceArray<unsigned> values_;
  DeviceArray<Span> span_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

struct Plan {
  double microseconds = 500, seconds = 0.5;
  std::uint64_t kernels = 0, rounds = 0, blocks = 0, threads = 64, sync_every = 4;
};

static std::uint64_t run(unsigned* values, Plan const& plan, Stopwatch const& watch) {
  std::uint64_t launched = 0;
  while (!told_to_end && (plan.kernels ? launched < plan.kernels : watch.seconds() < plan.seconds)) {
    burn<<<static_cast<unsigned>(plan.blocks), static_cast<unsigned>(plan.threads)>>>(
        values, static_cast<unsigned>(plan.rounds), multiplier, increment);
    CHECK_CUDA(cudaGetLastError());
    if (++launched % plan.sync_every == 0) CHECK_CUDA(cudaDeviceSynchronize());
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  return launched;
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("throttle", "Occupies the device with kernels of a given length.")
      .real("--microseconds", plan.microseconds, 1, 10000000, "length of one kernel")
      .real("--seconds", plan.seconds, 0, 86400, "run for this wall time")
      .number("--kernels", plan.kernels, 0, 1000000000, "run so many kernels instead; 0: go by --seconds")
      .number("--rounds", plan.rounds, 0, 1u << 28, "steps of a kernel, instead of calibrating; 0: calibrate")
      .number("--blocks", plan.blocks, 0, 65535, "blocks of a kernel; 0: one per multiprocessor")
      .number("--threads", plan.threads, 32, 1024, "threads of a block")
      .number("--sync-every", plan.sync_every, 1, 1000000, "launches between synchronisations")
      .parse(argc, argv);
  end_when_told();

  if (plan.blocks == 0) {
    int multiprocessors = 0;
    CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    plan.blocks = static_cast<std::uint64_t>(std::max(multiprocessors, 1));
  }
  unsigned const blocks = static_cast<unsigned>(plan.blocks);
  unsigned const threads = static_cast<unsigned>(plan.threads);
  if (plan.rounds == 0) plan.rounds = Calibration(blocks, threads).rounds_for(plan.microseconds);
  std::vector<unsigned> start(std::size_t{blocks} * threads);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = static_cast<unsigned>(i);
  DeviceArray<unsigned> values(start);
  cudaEvent_t first = nullptr, last = nullptr;
  CHECK_CUDA(cudaEventCreate(&first));
  CHECK_CUDA(cudaEventCreate(&last));
  cudaFuncAttributes loaded;
  CHECK_CUDA(cudaFuncGetAttributes(&loaded, burn)); // not between the events
  std::printf("throttle: %llu rounds a kernel, %u blocks of %u threads\n",
              static_cast<unsigned long long>(plan.rounds), blocks, threads);
  std::fflush(stdout); // who watches knows that it begins
  Stopwatch const watch;
  CHECK_CUDA(cudaEventRecord(first));
  std::uint64_t const kernels = run(values.get(), plan, watch);
  double const seconds = watch.seconds();
  CHECK_CUDA(cudaEventRecord(last));
  CHECK_CUDA(cudaEventSynchronize(last));
  float milliseconds = 0;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, first, last));
  char more[48];
  std::snprintf(more, sizeof more, ",\"device_s\":%.6f", static_cast<double>(milliseconds) / 1e3);

  std::vector<unsigned> expected(start);
  for (unsigned& value : expected)
    value = after_steps(value, kernels * plan.rounds);
  return report({"throttle", kernels, "kernels", seconds, more},
                first_mismatch("chain", values.download(), expected));
}
