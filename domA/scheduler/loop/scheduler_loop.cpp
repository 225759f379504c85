// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/scheduler_loop.h"

#include "base/futex.h"
#include "base/order_signal.h"

#include <csignal>
#include <fcntl.h>
#include <spdlog/spdlog.h>

namespace pegasus::scheduler {
namespace {

using boost::system::error_code;

Dispatcher::Setup dispatcher_setup(SchedulerLoop::Setup& setup, std::function<CpuTimes(TaskId)> cpu_times) {
  Dispatcher::Setup result = setup.dispatcher;
  result.cpu_times = std::move(cpu_times);
  result.cpu_schedule = &setup.cpu_watch;
  result.clock_at_zero = setup.started.time_since_epoch();
  return result;
}

} // namespace

SchedulerLoop::SchedulerLoop(boost::asio::io_context& io, Setup setup)
    : kicked_(io), timer_(io), kick_pause_(io), setup_(std::move(setup)),
      dispatcher_(dispatcher_setup(setup_, [this](TaskId task) { return cpu_times(task); })) {
  kicked_.assign(fcntl(kicks_.fd(), F_DUPFD_CLOEXEC, 0));
  wait_for_kick();
}

void SchedulerLoop::set_domain(DomainId domain, DomainSettings const& settings) {
  dispatcher_.set_domain(domain, settings);
  point();
}

bool SchedulerLoop::attach(TaskId task, DomainId domain, Pages const& pages, int kick_fd, pid_t worker) {
  if (!kicks_.attach(task, kick_fd)) return false;
  workers_.insert_or_assign(task, Worker{worker, CpuTimesOf::process(worker)});
  dispatcher_.attach(task, domain, pages.gate, pages.usage, now());
  point();
  return true;
}

void SchedulerLoop::detach(TaskId task) {
  kicks_.detach(task);
  dispatcher_.detach(task, now());
  workers_.erase(task);
  point();
}

bool SchedulerLoop::order(TaskId task, gate::Order const& order) {
  bool const given = dispatcher_.order(task, order);
  if (given) point();
  return given;
}

// While pegasusd waits for a CPU no worker is told anything.
CpuTimes SchedulerLoop::cpu_times(TaskId task) const {
  auto const worker = workers_.find(task);
  CpuTimes times = worker == workers_.end() ? CpuTimes{} : worker->second.cpu.so_far();
  times.waited += own_cpu_.so_far().waited;
  return times;
}

void SchedulerLoop::use(policies::Choice const& choice) {
  dispatcher_.use(choice, now());
  point();
}

void SchedulerLoop::wait_for_kick() {
  kicked_.async_wait(boost::asio::posix::descriptor_base::wait_read, [this](error_code error) {
    if (error) return;
    for (TaskId const task : kicks_.take())
      dispatcher_.kicked(task);
    point();
    Nanos const pause = kick_limit_.served(now());
    if (pause == Nanos{0}) return wait_for_kick();
    kick_pause_.expires_after(pause);
    kick_pause_.async_wait([this](error_code aborted) {
      if (!aborted) wait_for_kick();
    });
  });
}

void SchedulerLoop::point() {
  Time next = now() + after_failure;
  try {
    Actions const actions = dispatcher_.point(now());
    next = actions.next;
    carry_out(actions);
  } catch (std::exception const& error) {
    spdlog::error("scheduling goes on after: {}", error.what());
  }
  ++points_;
  timer_.expires_at(setup_.started + next.time_since_epoch());
  timer_.async_wait([this](error_code error) {
    if (!error) point();
  });
}

void SchedulerLoop::carry_out(Actions const& actions) {
  for (std::atomic<std::uint32_t>* const word : actions.wake)
    base::futex_wake(*word);
  for (Caller const& caller : actions.boost)
    setup_.cpu_watch.gate_opened(caller);
  for (TaskId const task : actions.interrupt)
    if (auto const worker = workers_.find(task); worker != workers_.end())
      kill(worker->second.pid, base::order_signal);
  for (Answered const& answered : actions.answered)
    setup_.answered(answered);
  if (actions.work != work_) setup_.cpu_watch.work(work_ = actions.work);
  for (TaskId const task : actions.give_up)
    setup_.give_up(task);
}

} // namespace pegasus::scheduler
