// SPDX-License-Identifier: Apache-2.0
// All accelerators of this pegasusd and what schedules them: one thread, one policy, one view of the CPUs.
#pragma once

#include "domA/daemon/accelerator.h"
#include "domA/daemon/options.h"
#include "domA/daemon/totals_publisher.h"
#include "domA/scheduler/loop/cpu_schedule_sampler.h"
#include "domA/scheduler/loop/scheduling_thread.h"

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace pegasus::daemon {

class Accelerators {
public:
  struct Events {                        // on the loop of `io`
    std::function<void(TaskId)> give_up; // a call of the task has outlived the limit, or its worker disobeys
    std::function<void(scheduler::Answered const&)> answered; // a worker obeyed an order
  };
  // `options` must outlive it.
  Accelerators(boost::asio::io_context& io, Options const& options, Events events);
  ~Accelerators() { stop(); }
  Accelerators(Accelerators const&) = delete;
  Accelerators& operator=(Accelerators const&) = delete;

  // The error is a message for the operator.
  [[nodiscard]] tl::expected<void, std::string> add(FoundAccelerator found);
  void stop(); // stops the scheduling thread, for good

  [[nodiscard]] std::size_t size() const { return all_.size(); } // at least 1 once pegasusd serves
  [[nodiscard]] Accelerator& operator[](std::size_t index) const { return *all_[index]; }
  [[nodiscard]] auto begin() const { return all_.begin(); } // of std::unique_ptr<Accelerator>
  [[nodiscard]] auto end() const { return all_.end(); }
  [[nodiscard]] std::uint64_t max_memory() const;  // of one accelerator, in bytes
  [[nodiscard]] std::uint64_t min_context() const; // the least memory that a context takes on one of them

  // Time since pegasusd's start; the time in every View.
  [[nodiscard]] Time now() const { return Time{std::chrono::steady_clock::now() - started_}; }

  // Runs `work` on the scheduling thread and waits for it. Loops, dispatchers and the CPU watch
  // may be used only there.
  template <class Work> auto on_schedulers_thread(Work work) { return scheduling_(std::move(work)); }
  [[nodiscard]] scheduler::CpuScheduleSampler& cpu_watch() { return cpu_watch_; } // on that thread
  [[nodiscard]] TotalsPublisher& totals() { return totals_; }                     // on that thread

  [[nodiscard]] policies::Choice const& policy() const { return policy_; }
  void use(policies::Choice const& policy); // on all accelerators; statistics start from zero
  void count_since(std::string_view what);  // restarts statistics; `what` is a literal, for operators
  [[nodiscard]] std::string_view counting_since() const { return counting_since_; }

private:
  boost::asio::io_context& io_;
  Options const& options_;
  Events events_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  policies::Choice policy_;
  std::string_view counting_since_ = "the start";
  scheduler::SchedulingThread scheduling_; // ends first: the next three are used on it
  scheduler::CpuScheduleSampler cpu_watch_;
  TotalsPublisher totals_{scheduling_.io()};
  std::vector<std::unique_ptr<Accelerator>> all_; // by index
};

} // namespace pegasus::daemon
