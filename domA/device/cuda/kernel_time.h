// SPDX-License-Identifier: Apache-2.0
// How long the launches of one kernel take, learnt from samples (FairGV 3.3.2: the first five requests are
// measured, the others inferred from them). This implementation keeps sampling, to notice a program's next
// phase. Two events around a launch cost an H100 3.3 us (docs/evaluation/gpu.md): one launch in so many is
// measured that this stays below 1 % of their time, and every launch that is long enough.
//
// A kernel may be used with several sizes of grid, and its time need not be proportional to them. Sizes are
// therefore divided into classes, one for each power of two, and each class has its own mean and is sampled
// by itself. Within a class times are in proportion to the blocks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace pegasus::cuda {

using Nanos = std::chrono::nanoseconds;

class KernelTime {
public:
  // Returns true if the next launch, with this number of blocks, should be measured.
  [[nodiscard]] bool wants_sample(std::uint64_t blocks) {
    Class& size = classes_[class_of(blocks)];
    if (size.samples < first_samples) return true;
    auto const every = static_cast<std::uint32_t>(
        std::clamp(worth_a_sample / expected(blocks), std::int64_t{1}, sample_every));
    // The odd samples come one launch earlier: two sizes of one class that are used in turn are both sampled.
    if (++size.unmeasured + (size.samples & 1u) < every) return false;
    size.unmeasured = 0;
    return true;
  }
  void sample(std::uint64_t blocks, Nanos took) {
    Class& size = classes_[class_of(blocks)];
    auto const ns = static_cast<double>(took.count());
    // A launch that was refused may have none.
    auto const count = static_cast<double>(std::max<std::uint64_t>(blocks, 1));
    // The first launch is slower: the kernel is loaded, and the stream is not held.
    if (size.samples == 0 || (size.samples == 1 && ns * size.blocks < size.ns * count)) {
      size.ns = ns;
      size.blocks = count;
    } else if (size.samples > 1) {
      size.ns += (ns - size.ns) / weight;
      size.blocks += (count - size.blocks) / weight;
    }
    recent_ = &size - classes_.data();
    if (++size.samples > first_samples + 1) size.samples = first_samples; // keeps counting odd and even ones
  }
  // Returns true if launches with about this number of blocks were measured.
  [[nodiscard]] bool measured(std::uint64_t blocks) const { return classes_[class_of(blocks)].samples > 0; }
  // If no launch of about this size was measured: in proportion to the next size that was. Returns 0 if
  // nothing is known yet.
  [[nodiscard]] Nanos expected(std::uint64_t blocks) const {
    Class const* const size = nearest(class_of(blocks));
    return size == nullptr ? Nanos{0} : in_proportion(*size, blocks);
  }
  // The same, in proportion to the last launches that were measured, if these had at least `wave` blocks.
  [[nodiscard]] Nanos expected_by_recent(std::uint64_t blocks, std::uint64_t wave) const {
    Class const& recent = classes_[static_cast<std::size_t>(recent_)];
    bool const useful = recent.samples > 0 && recent.blocks >= static_cast<double>(wave);
    return useful ? in_proportion(recent, blocks) : expected(blocks);
  }

private:
  static constexpr unsigned first_samples = 5; // FairGV 3.3.2
  static constexpr Nanos worth_a_sample = std::chrono::microseconds(500);
  static constexpr std::int64_t sample_every = 64; // at least
  static constexpr double weight = 4;              // follows a step in the times within a dozen samples
  static constexpr double longest = 1e18;          // some thirty years, of absurd grids

  // Times and blocks are averaged alike: if sizes of a class take other times than in proportion, the sum
  // over its launches is still right.
  struct Class {
    double ns = 0;
    double blocks = 1;
    std::uint32_t samples = 0;
    std::uint32_t unmeasured = 0;
  };

  [[nodiscard]] static std::size_t class_of(std::uint64_t blocks) {
    auto const power = static_cast<std::size_t>(std::bit_width(blocks | 1) - 1);
    return std::min(power, std::tuple_size_v<decltype(classes_)> - 1);
  }
  [[nodiscard]] static Nanos in_proportion(Class const& size, std::uint64_t blocks) {
    double const ns = size.ns / size.blocks * static_cast<double>(blocks);
    return Nanos(static_cast<std::int64_t>(std::clamp(ns, 1.0, longest)));
  }
  [[nodiscard]] Class const* nearest(std::size_t wanted) const {
    for (std::size_t distance = 0; distance < classes_.size(); ++distance) {
      if (wanted + distance < classes_.size() && classes_[wanted + distance].samples > 0)
        return &classes_[wanted + distance];
      if (distance <= wanted && classes_[wanted - distance].samples > 0) return &classes_[wanted - distance];
    }
    return nullptr;
  }

  std::array<Class, 32> classes_{}; // the last one: 2^31 blocks and more
  std::ptrdiff_t recent_ = 0;       // the class that was sampled last
};

// How many of a launch's blocks may be on the device together so that they take no longer than `slice`: at
// least a `wave`, which is the number that runs at once. All of them if the kernel's time is unknown.
[[nodiscard]] inline std::uint64_t piece_blocks(KernelTime const& time, std::uint64_t blocks,
                                                std::uint64_t wave, Nanos slice) {
  if (time.expected(blocks) <= slice) return blocks;
  // The whole launch's time may be an old one: while it is split, only its pieces are measured.
  auto const expected = static_cast<double>(time.expected_by_recent(blocks, wave).count());
  double const share = std::min(static_cast<double>(slice.count()) / expected, 1.0);
  return std::clamp(static_cast<std::uint64_t>(share * static_cast<double>(blocks)), std::min(wave, blocks),
                    blocks);
}

} // namespace pegasus::cuda
