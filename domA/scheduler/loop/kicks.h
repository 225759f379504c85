// SPDX-License-Identifier: Apache-2.0
// The kicks by which workers call the scheduling loop. Each worker has an eventfd: the loop knows which
// worker kicked, and a worker that kicks without end is heard no more often than the others.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

namespace pegasus::scheduler {

using policies::TaskId;

// A worker kicks at most once per sleep; one that was taken over may kick without end. This bounds the cost of all
// kicks: `burst` may follow each other at once, and over a longer time one is served each `period`.
class KickLimit {
public:
  static constexpr std::chrono::microseconds period{50};
  static constexpr int burst = 20;

  // Kicks are served now. Returns in how long the next ones may be; 0: whenever they come.
  [[nodiscard]] policies::Nanos served(policies::Time now) {
    paid_until_ = std::max(paid_until_, now) + period;
    return std::max(paid_until_ - now - burst * period, policies::Nanos{0});
  }

private:
  policies::Time paid_until_{};
};

class Kicks {
public:
  Kicks();
  ~Kicks();
  Kicks(Kicks const&) = delete;
  Kicks& operator=(Kicks const&) = delete;

  [[nodiscard]] int fd() const { return fd_; } // readable while a kick waits
  // `eventfd` stays open until detach(). Returns false if the kernel has no room for it.
  [[nodiscard]] bool attach(TaskId task, int eventfd);
  void detach(TaskId task);
  // The tasks that kicked since the last call, each once; at most a fixed number of them, in turn.
  [[nodiscard]] std::vector<TaskId> take();

private:
  int fd_; // an epoll set
  std::map<TaskId, int> kicks_;
};

} // namespace pegasus::scheduler
