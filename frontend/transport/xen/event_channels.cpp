// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/xen/event_channels.h"

#include <ctime>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

using domid_t = std::uint16_t; // the next header needs it
#include <xen/evtchn.h>

namespace pegasus::frontend {

bool EventChannels::open() {
  file_ = ::open("/dev/xen/evtchn", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) return false;
  nudge_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return nudge_ >= 0;
}

bool EventChannels::offer(std::uint32_t domain, std::uint32_t& port) {
  ioctl_evtchn_bind_unbound_port request{domain};
  int const bound = ioctl(file_, IOCTL_EVTCHN_BIND_UNBOUND_PORT, &request);
  if (bound < 0) return false;
  port = static_cast<std::uint32_t>(bound);
  return true;
}

void EventChannels::ring(std::uint32_t port) {
  ioctl_evtchn_notify request{port};
  (void)ioctl(file_, IOCTL_EVTCHN_NOTIFY, &request);
}

bool EventChannels::wait(std::uint64_t timeout_ns) {
  pollfd watched[2] = {{file_, POLLIN, 0}, {nudge_, POLLIN, 0}};
  timespec const timeout{static_cast<time_t>(timeout_ns / 1'000'000'000u),
                         static_cast<long>(timeout_ns % 1'000'000'000u)};
  if (ppoll(watched, 2, &timeout, nullptr) <= 0) return false;
  std::uint64_t nudges = 0;
  (void)!read(nudge_, &nudges, sizeof nudges);
  std::uint32_t ports[2]; // this object has two ports
  ssize_t const got = read(file_, ports, sizeof ports);
  if (got > 0) (void)!write(file_, ports, static_cast<std::size_t>(got)); // unmask them
  return true;
}

void EventChannels::nudge() {
  std::uint64_t const one = 1;
  (void)!write(nudge_, &one, sizeof one);
}

void EventChannels::release() {
  for (int* const file : {&file_, &nudge_}) {
    if (*file >= 0) close(*file);
    *file = -1;
  }
}

} // namespace pegasus::frontend
