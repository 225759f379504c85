// SPDX-License-Identifier: Apache-2.0
// The bells by which workers call the scheduling loop. Each is an eventfd: the loop knows which worker rang,
// and a worker that rings without end is heard no more often than the others.
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

  [[nodiscard]] int fd() const { return fd_; } // readable while a bell has been rung
  // `bell` is an eventfd that stays open until detach(). Returns false if the kernel has no room for it.
  [[nodiscard]] bool attach(TaskId task, int bell);
  void detach(TaskId task);
  // The tasks that rang since the last call, each once; at most a fixed number of them, in turn.
  [[nodiscard]] std::vector<TaskId> take();

private:
  int fd_; // an epoll set
  std::map<TaskId, int> bells_;
};

} // namespace pegasus::scheduler
