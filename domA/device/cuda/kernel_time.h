// SPDX-License-Identifier: Apache-2.0
// How long the launches of one kernel take, learnt from samples (FairGV 3.3.2: the first five requests are
// measured, the others inferred from them). Ours goes on sampling, so that a program's next phase is noticed,
// and measures every long launch: two events cost a few microseconds, nothing to a long kernel and much to a
// short one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace pegasus::cuda {

using Nanos = std::chrono::nanoseconds;

class KernelTime {
public:
  // Whether the next launch, of so many blocks, should be measured.
  [[nodiscard]] bool wants_sample(std::uint64_t blocks) {
    return samples_ < first_samples || blocks != blocks_ || mean_ >= long_launch ||
           ++unmeasured_ >= sample_every;
  }
  void sample(std::uint64_t blocks, Nanos took) {
    unmeasured_ = 0;
    if (blocks != blocks_) { // another size of grid: what was learnt is no more than a hint
      blocks_ = blocks;
      samples_ = 0;
    }
    // The first launch also pays for what it finds unprepared: the kernel is loaded, the stream was not held.
    if (samples_ < 2)
      mean_ = samples_ == 0 ? took : std::min(mean_, took);
    else
      mean_ += (took - mean_) / weight;
    if (samples_ < first_samples) ++samples_;
  }
  // 0: nothing is known yet.
  [[nodiscard]] Nanos expected(std::uint64_t blocks) const {
    if (blocks_ == 0 || blocks == blocks_) return mean_;
    return Nanos(static_cast<std::int64_t>(static_cast<double>(mean_.count()) * static_cast<double>(blocks) /
                                           static_cast<double>(blocks_)));
  }

  static constexpr Nanos long_launch = std::chrono::microseconds(100);

private:
  static constexpr unsigned first_samples = 5; // FairGV 3.3.2
  static constexpr unsigned sample_every = 16;
  static constexpr int weight = 4; // a step in the times is followed within a dozen samples

  Nanos mean_{0};
  std::uint64_t blocks_ = 0; // of the launches that mean_ is about
  unsigned samples_ = 0;
  unsigned unmeasured_ = 0;
};

// How many of a launch's blocks may go to the device together, so that they take no longer than `slice`: at
// least a `wave`, which is what runs at once. Of a kernel that nothing is known of, one wave, unless it is
// all but a few.
inline constexpr std::uint64_t few_waves = 4; // to split them would cost a compilation for little
[[nodiscard]] inline std::uint64_t piece_blocks(KernelTime const& time, std::uint64_t blocks,
                                                std::uint64_t wave, Nanos slice) {
  Nanos const expected = time.expected(blocks);
  if (expected == Nanos{0}) return blocks / few_waves <= wave ? blocks : wave;
  if (expected <= slice) return blocks;
  auto const share = static_cast<double>(slice.count()) / static_cast<double>(expected.count());
  return std::max(wave, static_cast<std::uint64_t>(share * static_cast<double>(blocks)));
}

} // namespace pegasus::cuda
