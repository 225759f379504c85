// SPDX-License-Identifier: Apache-2.0
// How much work the making of one kernel may be: a bound for hostile code, far above what compilers make.
#pragma once

#include <cstdint>

namespace pegasus::software {

class Effort {
public:
  static constexpr std::uint64_t most = 100'000'000; // steps of some nanoseconds: half a second

  explicit Effort(std::uint64_t steps = most) : left_(steps) {}
  // False: it was too much; and so is all that follows.
  [[nodiscard]] bool spend(std::uint64_t steps) {
    left_ = steps < left_ ? left_ - steps : 0;
    return left_ > 0;
  }

private:
  std::uint64_t left_;
};

} // namespace pegasus::software
