// SPDX-License-Identifier: Apache-2.0
// For how long an accelerator stood idle at a time although a task on it had calls.
#pragma once

#include "sim/clock.h"

#include <algorithm>

namespace pegasus::sim {

class IdleWatch {
public:
  struct Task {
    bool calls = false;     // it has some that are not answered
    bool on_device = false; // ... of which an engine has one
    bool operator==(Task const&) const = default;
  };
  explicit IdleWatch(Clock const& clock) : clock_(clock) {}

  void change(Task& task, Task const& to) {
    if (task == to) return;
    longest_ = longest();
    bool const before = idle_with_calls();
    calls_ += to.calls - task.calls;
    on_device_ += to.on_device - task.on_device;
    if (!before) since_ = clock_.now();
    task = to;
  }
  [[nodiscard]] Nanos longest() const {
    return idle_with_calls() ? std::max(longest_, clock_.now() - since_) : longest_;
  }

private:
  [[nodiscard]] bool idle_with_calls() const { return calls_ > 0 && on_device_ == 0; }

  Clock const& clock_;
  int calls_ = 0;     // tasks that have some
  int on_device_ = 0; // ... of which an engine has one
  Time since_{};      // idle with calls, if it is
  Nanos longest_{0};
};

} // namespace pegasus::sim
