// SPDX-License-Identifier: Apache-2.0
// Limits the work of building one kernel: a bound for hostile code, far above what compilers generate.
#pragma once

#include <cstdint>

namespace pegasus::software {

class Effort {
public:
  static constexpr std::uint64_t most = 100'000'000; // steps of a few nanoseconds: half a second

  explicit Effort(std::uint64_t steps = most) : left_(steps) {}
  // Returns false if the limit is exceeded, and then for all later calls.
  [[nodiscard]] bool spend(std::uint64_t steps) {
    left_ = steps < left_ ? left_ - steps : 0;
    return left_ > 0;
  }

private:
  std::uint64_t left_;
};

} // namespace pegasus::software
