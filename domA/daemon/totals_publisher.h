// SPDX-License-Identifier: Apache-2.0
// Shows guests the device time of their own tasks, as it is charged: once a millisecond, less often
// if nothing happens or if many tasks are observed. Domains that are not observed cost nothing. Used
// on the scheduling thread only. Source: Fleig, 6.1: the accounting of one scheduler for those of
// the virtual machines.
#pragma once

#include "domA/guests/totals_page.h"
#include "domA/scheduler/loop/scheduler_loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <vector>

namespace pegasus::daemon {

class TotalsPublisher {
public:
  explicit TotalsPublisher(boost::asio::io_context& io) : timer_(io) {}

  struct Task {
    scheduler::SchedulerLoop* scheduler; // it is attached there; outlives the task
    std::uint32_t process;               // for the guest
  };
  using Tasks = std::map<policies::TaskId, Task>; // of a domain
  void attach(policies::TaskId id, policies::DomainId domain, Task const& task) {
    tasks_[domain].emplace(id, task);
  }
  void detach(policies::TaskId id, policies::DomainId domain);

  // The pages show the domain's tasks from now on; until leave() they must exist.
  void observe(std::uint32_t observer, policies::DomainId domain, pegasus_totals& pages);
  void leave(std::uint32_t observer);

private:
  struct Observer {
    policies::DomainId domain;
    guests::TotalsPage page;
  };
  static constexpr std::chrono::milliseconds busy_interval{1};
  static constexpr std::chrono::milliseconds idle_interval{20};     // no observed task has calls
  static constexpr std::chrono::microseconds interval_per_task{10}; // reading one takes a hundredth of it

  void publish();

  boost::asio::steady_timer timer_;
  std::map<policies::DomainId, Tasks> tasks_;
  std::map<std::uint32_t, Observer> observers_;
};

} // namespace pegasus::daemon
