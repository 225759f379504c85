// SPDX-License-Identifier: Apache-2.0
// What one domain did between two samples at the daemon, or in several such intervals together.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pegasus::ctl {

struct Interval {
  std::uint64_t length_ns = 0;
  std::uint64_t device_ns = 0; // with host time, which is charged as device time
  std::uint64_t calls = 0;
  std::uint64_t sync_calls = 0;
  std::uint64_t waited_ns = 0;   // with a call, and its gates closed
  std::uint64_t in_calls_ns = 0; // its tasks' time in calls that they wait for, to an eighth
  // How long it may have had a call that neither executed nor waited for its gate.
  std::uint64_t delayed_ns = 0;
  std::uint64_t task_ns = 0;       // length times the number of its tasks, while it had any
  std::uint64_t with_tasks_ns = 0; // of the length

  Interval& operator+=(Interval const& other) {
    length_ns += other.length_ns;
    device_ns += other.device_ns;
    calls += other.calls;
    sync_calls += other.sync_calls;
    waited_ns += other.waited_ns;
    in_calls_ns += other.in_calls_ns;
    delayed_ns += other.delayed_ns;
    task_ns += other.task_ns;
    with_tasks_ns += other.with_tasks_ns;
    return *this;
  }

  // It called nothing, and nothing of it was executed.
  [[nodiscard]] bool idle() const { return calls == 0 && device_ns == 0; }
  // Its tasks at a time, at least 1.
  [[nodiscard]] std::uint64_t tasks() const {
    return with_tasks_ns == 0 ? 1 : std::max<std::uint64_t>(1, (task_ns + with_tasks_ns / 2) / with_tasks_ns);
  }
  // The time of its tasks that is neither device time nor waiting: what they do not spend in calls, within
  // what the domain's own times leave. Less than an eighth of the time in calls may be nothing.
  [[nodiscard]] std::uint64_t between_calls_ns() const {
    std::uint64_t const all = tasks() * length_ns;
    std::uint64_t const most = rest(all, device_ns + waited_ns);
    std::uint64_t const least = std::min(most, tasks() * rest(length_ns, device_ns + waited_ns + delayed_ns));
    std::uint64_t const outside = rest(all, in_calls_ns);
    return std::clamp(outside > in_calls_ns / 8 ? outside : 0, least, most);
  }

private:
  [[nodiscard]] static std::uint64_t rest(std::uint64_t whole, std::uint64_t part) {
    return whole - std::min(whole, part);
  }
};

} // namespace pegasus::ctl
