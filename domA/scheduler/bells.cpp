// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/bells.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>

namespace pegasus::scheduler {
namespace {

constexpr std::size_t most_at_once = 64;

} // namespace

Bells::Bells() : fd_(epoll_create1(EPOLL_CLOEXEC)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

Bells::~Bells() { close(fd_); }

// Edge-triggered: a ring is heard once and the counter need not be read.
bool Bells::attach(TaskId task, int bell) {
  detach(task);
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u32 = task}};
  if (epoll_ctl(fd_, EPOLL_CTL_ADD, bell, &event) != 0) return false;
  bells_[task] = bell;
  return true;
}

void Bells::detach(TaskId task) {
  auto const bell = bells_.extract(task);
  if (!bell.empty()) epoll_ctl(fd_, EPOLL_CTL_DEL, bell.mapped(), nullptr);
}

std::vector<TaskId> Bells::take() {
  std::array<epoll_event, most_at_once> events;
  int const count = epoll_wait(fd_, events.data(), static_cast<int>(events.size()), 0);
  std::vector<TaskId> rang;
  for (int i = 0; i < count; ++i)
    rang.push_back(events[static_cast<std::size_t>(i)].data.u32);
  return rang;
}

} // namespace pegasus::scheduler
