// SPDX-License-Identifier: Apache-2.0
// Gives a Dispatcher its clock: scheduling points when a worker kicks, at the time that the
// dispatcher asks for, and after each event. Carries out the returned Actions.
#pragma once

#include "domA/scheduler/dispatcher.h"
#include "domA/scheduler/loop/cpu_schedule_sampler.h"
#include "domA/scheduler/loop/cpu_times_of.h"
#include "domA/scheduler/loop/kicks.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <sys/types.h>

namespace pegasus::scheduler {

class SchedulerLoop {
public:
  struct Setup {
    Dispatcher::Setup dispatcher; // the loop adds the CPU schedule and waits for CPUs
    CpuScheduleSampler& cpu_watch;
    std::function<void(TaskId)> give_up; // ends a task; the end is another event
    std::function<void(Answered const&)> answered;
    std::chrono::steady_clock::time_point started; // time 0
  };
  SchedulerLoop(boost::asio::io_context& io, Setup setup); // on the thread that runs `io`

  // Read-only access; the members below are the dispatcher's events.
  [[nodiscard]] Dispatcher const& dispatcher() const { return dispatcher_; }

  void set_domain(DomainId domain, DomainSettings const& settings);
  void forget_domain(DomainId domain) { dispatcher_.forget_domain(domain); }
  struct Pages {
    gate::GatePage& gate;
    gate::UsagePage const& usage;
  };
  // `kick_fd`: an eventfd that the worker writes to. Returns false if the kernel has no room for another.
  [[nodiscard]] bool attach(TaskId task, DomainId domain, Pages const& pages, int kick_fd, pid_t worker);
  void detach(TaskId task);
  [[nodiscard]] bool order(TaskId task, gate::Order const& order); // as Dispatcher::order
  void use(policies::Choice const& choice);
  void bring_up_to_date() { dispatcher_.bring_up_to_date(now()); }
  [[nodiscard]] monitor::TaskUsage task_usage(TaskId task) { return dispatcher_.task_usage(task, now()); }
  void reset_statistics() { dispatcher_.reset_statistics(now()); }

  [[nodiscard]] Time now() const { return Time{std::chrono::steady_clock::now() - setup_.started}; }
  [[nodiscard]] std::uint64_t points() const { return points_; } // scheduling points so far

private:
  void wait_for_kick();
  static constexpr Nanos after_failure = std::chrono::milliseconds(10); // then a point follows
  void point(); // does not throw: the next one would never come
  void carry_out(Actions const& actions);
  [[nodiscard]] CpuTimes cpu_times(TaskId task) const;

  CpuTimesOf own_cpu_ = CpuTimesOf::this_thread();
  struct Worker {
    pid_t pid;
    CpuTimesOf cpu;
  };
  std::map<TaskId, Worker> workers_;
  Kicks kicks_;
  boost::asio::posix::stream_descriptor kicked_;
  boost::asio::steady_timer timer_;
  KickLimit kick_limit_;
  boost::asio::steady_timer kick_pause_;
  Setup setup_;
  Dispatcher dispatcher_;
  std::uint64_t points_ = 0;
  bool work_ = false; // what the CPU watch was last told
};

} // namespace pegasus::scheduler
