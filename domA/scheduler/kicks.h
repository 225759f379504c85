// SPDX-License-Identifier: Apache-2.0
// The kicks by which workers call the scheduling loop. Each worker has an eventfd: the loop knows which
// worker kicked, and a worker that kicks without end is heard no more often than the others.
#pragma once

#include "domA/scheduler/task_slices.h"

#include <map>
#include <vector>

namespace pegasus::scheduler {

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
