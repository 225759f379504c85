// SPDX-License-Identifier: Apache-2.0
// How long the launches of one kernel take, learnt from samples (FairGV 3.3.2: the first five requests are
// measured, the others inferred from them). This implementation keeps sampling, to notice a program's next
// phase, and measures every long launch: two events cost a few microseconds, which is negligible for a long
// kernel but much for a short one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace pegasus::cuda {

using Nanos = std::chrono::nanoseconds;

class KernelTime {
public:
  // Returns true if the next launch, with this number of blocks, should be measured.
  [[nodiscard]] bool wants_sample(std::uint64_t blocks) {
    return samples_ < first_samples || blocks != blocks_ || mean_ >= long_launch ||
           ++unmeasured_ >= sample_every;
  }
  void sample(std::uint64_t blocks, Nanos took) {
    unmeasured_ = 0;
    if (blocks != blocks_) { // another grid size: the known time is only a hint
      blocks_ = blocks;
      samples_ = 0;
    }
    // The first launch is slower: the kernel is loaded, and the stream is not held.
    if (samples_ < 2)
      mean_ = samples_ == 0 ? took : std::min(mean_, took);
    else
      mean_ += (took - mean_) / weight;
    if (samples_ < first_samples) ++samples_;
  }
  // Returns 0 if nothing is known yet.
  [[nodiscard]] Nanos expected(std::uint64_t blocks) const {
    if (blocks_ == 0 || blocks == blocks_) return mean_;
    return Nanos(static_cast<std::int64_t>(static_cast<double>(mean_.count()) * static_cast<double>(blocks) /
                                           static_cast<double>(blocks_)));
  }

  static constexpr Nanos long_launch = std::chrono::microseconds(100);

private:
  static constexpr unsigned first_samples = 5; // FairGV 3.3.2
  static constexpr unsigned sample_every = 16;
  static constexpr int weight = 4; // follows a step in the times within a dozen samples

  Nanos mean_{0};
  std::uint64_t blocks_ = 0; // of the launches that mean_ describes
  unsigned samples_ = 0;
  unsigned unmeasured_ = 0;
};

// How many of a launch's blocks may be on the device together so that they take no longer than `slice`: at
// least a `wave`, which is the number that runs at once. For a kernel with unknown times, one wave, unless
// that is nearly the whole grid.
inline constexpr std::uint64_t few_waves = 4; // splitting them is not worth a compilation
[[nodiscard]] inline std::uint64_t piece_blocks(KernelTime const& time, std::uint64_t blocks,
                                                std::uint64_t wave, Nanos slice) {
  Nanos const expected = time.expected(blocks);
  if (expected == Nanos{0}) return blocks / few_waves <= wave ? blocks : wave;
  if (expected <= slice) return blocks;
  auto const share = static_cast<double>(slice.count()) / static_cast<double>(expected.count());
  return std::max(wave, static_cast<std::uint64_t>(share * static_cast<double>(blocks)));
}

} // namespace pegasus::cuda
