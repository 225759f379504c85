// SPDX-License-Identifier: Apache-2.0
// The bells by which workers call the scheduling loop: an eventfd each, so that it knows who rang and one
// that rings without end is heard no more often than the others.
#pragma once

#include "domA/scheduler/task_turns.h"

#include <map>
#include <vector>

namespace pegasus::scheduler {

class Bells {
public:
  Bells();
  ~Bells();
  Bells(Bells const&) = delete;
  Bells& operator=(Bells const&) = delete;

  [[nodiscard]] int fd() const { return fd_; } // readable while somebody rang
  // `bell`: an eventfd, open until detach(). False: the kernel has no room for it.
  [[nodiscard]] bool attach(TaskId task, int bell);
  void detach(TaskId task);
  // Who rang since they were asked for last, each once; at most a fixed number of them, in turn.
  [[nodiscard]] std::vector<TaskId> take();

private:
  int fd_; // an epoll set
  std::map<TaskId, int> bells_;
};

} // namespace pegasus::scheduler
