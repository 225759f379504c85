// SPDX-License-Identifier: Apache-2.0
// Limits how often a guest may start tasks. Each start costs Dom0 mappings of pages, a process, and on a GPU
// a context, in the thread that serves all guests. A guest that starts more must wait; very many more are
// refused. Pure: it is told the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace pegasus::xen {

class TaskStarts {
public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double per_second = 20; // a worker starts in 20 ms: less than half of a CPU
  static constexpr double at_once = 40;    // more programs than --guest-tasks allows
  static constexpr std::size_t max_waiting = 64;

  enum class Decision { start, wait, refuse };
  // For a task that wants to start. A task that already waits keeps waiting.
  [[nodiscard]] Decision ask(std::string const& key, Time now) {
    if (std::ranges::find(waiting_, key) != waiting_.end()) return Decision::wait;
    refill(now);
    if (waiting_.empty() && tokens_ >= 1) {
      tokens_ -= 1;
      return Decision::start;
    }
    if (waiting_.size() >= max_waiting) return Decision::refuse;
    waiting_.push_back(key);
    return Decision::wait;
  }
  // A task that may start now; nullopt if there is none.
  [[nodiscard]] std::optional<std::string> next(Time now) {
    refill(now);
    if (waiting_.empty() || tokens_ < 1) return std::nullopt;
    tokens_ -= 1;
    std::string key = std::move(waiting_.front());
    waiting_.pop_front();
    return key;
  }
  // When the next task may start; nullopt if none waits.
  [[nodiscard]] std::optional<Time> due() const {
    if (waiting_.empty()) return std::nullopt;
    return refilled_ + std::chrono::ceil<std::chrono::microseconds>(
                           std::chrono::duration<double>(std::max(0.0, 1 - tokens_) / per_second));
  }

private:
  void refill(Time now) {
    if (now <= refilled_) return;
    double const seconds = std::chrono::duration<double>(now - refilled_).count();
    tokens_ = std::min(at_once, tokens_ + per_second * seconds);
    refilled_ = now;
  }

  double tokens_ = at_once;
  Time refilled_{};
  std::deque<std::string> waiting_;
};

} // namespace pegasus::xen
