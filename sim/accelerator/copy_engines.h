// SPDX-License-Identifier: Apache-2.0
// An accelerator's copy engines: they copy between host and device beside the kernels, each one copy at a
// time, in the order in which they came.
#pragma once

#include "sim/accelerator/engine.h"

#include <deque>

namespace pegasus::sim {

// 2: one to the device and one from it.
inline constexpr unsigned max_copy_engines = 2;

class CopyEngines {
public:
  // `count`: at most max_copy_engines.
  CopyEngines(Clock& clock, unsigned count) {
    while (engines_.size() < count)
      engines_.emplace_back(clock, Engine::Options{});
  }

  [[nodiscard]] std::size_t count() const { return engines_.size(); }
  [[nodiscard]] std::size_t to_device() const { return 0; }
  [[nodiscard]] std::size_t from_device() const { return engines_.size() - 1; }
  [[nodiscard]] Engine& operator[](std::size_t engine) { return engines_[engine]; }
  [[nodiscard]] Nanos busy() const { // the sum of all
    Nanos sum{0};
    for (Engine const& engine : engines_)
      sum += engine.busy();
    return sum;
  }

private:
  std::deque<Engine> engines_; // that stay where they are
};

} // namespace pegasus::sim
