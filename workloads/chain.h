// SPDX-License-Identifier: Apache-2.0
// A chain of integer steps of any length, whose result the CPU knows at once: a lost or repeated launch is detected.
#pragma once

#include <cstdint>

namespace workload {

// The linear congruence of Numerical Recipes. Passed to a kernel to prevent the compiler from folding steps.
constexpr std::uint32_t multiplier = 1664525u, increment = 1013904223u;

// `value` after `times` steps, each value * multiplier + increment. The composition of steps is again a step: square
// and multiply.
inline std::uint32_t after_steps(std::uint32_t value, std::uint64_t times) {
  std::uint32_t factor = multiplier, addend = increment;
  for (; times; times >>= 1) {
    if (times & 1) value = value * factor + addend;
    addend = factor * addend + addend;
    factor *= factor;
  }
  return value;
}

} // namespace workload
