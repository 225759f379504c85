// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/scheduler_loop.h"

#include <climits>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::scheduler {
namespace {

using boost::system::error_code;

// A worker rings at most once per sleep; one that was taken over may ring without end. This bounds what it
// costs.
constexpr std::chrono::microseconds bell_pause{50};

} // namespace

SchedulerLoop::SchedulerLoop(boost::asio::io_context& io, Setup setup)
    : bell_(io, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), timer_(io), bell_pause_(io),
      setup_(std::move(setup)), dispatcher_({.policy = setup_.dispatcher.policy,
                                             .tunables = setup_.dispatcher.tunables,
                                             .runaway = setup_.dispatcher.runaway,
                                             .cpu_schedule = &setup_.cpu_watch,
                                             .clock_at_zero = setup_.started.time_since_epoch()}) {
  wait_for_bell();
}

void SchedulerLoop::stop() {
  error_code ignored;
  bell_.close(ignored);
  timer_.cancel();
  bell_pause_.cancel();
}

void SchedulerLoop::set_domain(DomainId domain, DomainSettings const& settings) {
  dispatcher_.set_domain(domain, settings);
  point();
}

void SchedulerLoop::attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage) {
  dispatcher_.attach(task, domain, gate, usage, now());
  point();
}

void SchedulerLoop::detach(TaskId task) {
  dispatcher_.detach(task, now());
  point();
}

void SchedulerLoop::use(policies::Entry const& policy) {
  dispatcher_.use(policy, now());
  point();
}

void SchedulerLoop::wait_for_bell() {
  bell_.async_wait(boost::asio::posix::descriptor_base::wait_read, [this](error_code error) {
    if (error) return;
    std::uint64_t rings = 0;
    (void)!read(bell_.native_handle(), &rings, sizeof rings);
    point();
    bell_pause_.expires_after(bell_pause);
    bell_pause_.async_wait([this](error_code aborted) {
      if (!aborted) wait_for_bell();
    });
  });
}

void SchedulerLoop::point() {
  ++points_;
  Actions const actions = dispatcher_.point(now());
  for (std::atomic<std::uint32_t>* const word : actions.wake)
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  for (auto const& [domain, vcpu] : actions.rouse)
    setup_.cpu_watch.gate_opened(domain, vcpu);
  if (actions.work != work_) setup_.cpu_watch.work(work_ = actions.work);
  for (TaskId const task : actions.give_up)
    setup_.give_up(task);
  timer_.expires_at(setup_.started + actions.next);
  timer_.async_wait([this](error_code error) {
    if (!error) point();
  });
}

} // namespace pegasus::scheduler
