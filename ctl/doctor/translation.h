// SPDX-License-Identifier: Apache-2.0
// Translates device code as a worker of the software accelerator does, to learn what it would refuse.
#pragma once

#include "ctl/doctor/embedded_images.h"
#include "ctl/doctor/facts.h"

#include <chrono>
#include <string>
#include <vector>

namespace pegasus::ctl::doctor {

class Translation {
public:
  using Clock = std::chrono::steady_clock;

  explicit Translation(Clock::time_point until) : until_(until) {}

  [[nodiscard]] bool is_over() const { return Clock::now() >= until_; }
  // Adds what it finds to `facts`. Once the time is over, images and kernels
  // are only counted as left.
  void add(EmbeddedImage const& image, ImageFacts& facts) const;

private:
  void translate(std::vector<std::string> texts, bool exact, ImageFacts& facts) const;

  Clock::time_point until_;
};

} // namespace pegasus::ctl::doctor
