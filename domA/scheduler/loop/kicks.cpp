// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/kicks.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>

namespace pegasus::scheduler {
namespace {

constexpr std::size_t max_events = 64;

} // namespace

Kicks::Kicks() : fd_(epoll_create1(EPOLL_CLOEXEC)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

Kicks::~Kicks() { close(fd_); }

// Edge-triggered: a kick is reported once and the counter need not be read.
bool Kicks::attach(TaskId task, int eventfd) {
  detach(task);
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u32 = task}};
  if (epoll_ctl(fd_, EPOLL_CTL_ADD, eventfd, &event) != 0) return false;
  kicks_[task] = eventfd;
  return true;
}

void Kicks::detach(TaskId task) {
  auto const kick = kicks_.extract(task);
  if (!kick.empty()) epoll_ctl(fd_, EPOLL_CTL_DEL, kick.mapped(), nullptr);
}

std::vector<TaskId> Kicks::take() {
  std::array<epoll_event, max_events> events;
  int const count = epoll_wait(fd_, events.data(), static_cast<int>(events.size()), 0);
  std::vector<TaskId> kicked;
  for (int i = 0; i < count; ++i)
    kicked.push_back(events[static_cast<std::size_t>(i)].data.u32);
  return kicked;
}

} // namespace pegasus::scheduler
