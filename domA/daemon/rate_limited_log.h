// SPDX-License-Identifier: Apache-2.0
// Log lines that guests cause. A guest that connects and leaves without end must not fill the operator's
// disk: beyond a budget lines are only counted, and the count is logged when there is room again.
#pragma once

#include "control/quantity.h"

#include <algorithm>
#include <chrono>
#include <spdlog/spdlog.h>

namespace pegasus::daemon {

class RateLimitedLog {
public:
  template <class... Arguments>
  void operator()(spdlog::level::level_enum level, spdlog::format_string_t<Arguments...> format,
                  Arguments&&... arguments) {
    if (!allowed(std::chrono::steady_clock::now())) return;
    spdlog::log(level, format, std::forward<Arguments>(arguments)...);
  }

private:
  static constexpr double lines_per_second = 20;
  static constexpr double burst = 1000; // the tasks of a loaded host starting all at once

  bool allowed(std::chrono::steady_clock::time_point now) {
    lines_ =
        std::min(burst, lines_ + lines_per_second * std::chrono::duration<double>(now - refilled_).count());
    refilled_ = now;
    if (lines_ < 1) {
      ++left_out_;
      return false;
    }
    lines_ -= 1;
    if (left_out_ > 0)
      spdlog::warn("dropped {} about tasks: too many in a short time", control::counted(left_out_, "line"));
    left_out_ = 0;
    return true;
  }

  double lines_ = burst;
  std::uint64_t left_out_ = 0;
  std::chrono::steady_clock::time_point refilled_ = std::chrono::steady_clock::now();
};

} // namespace pegasus::daemon
