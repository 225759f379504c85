// SPDX-License-Identifier: Apache-2.0
// A pool of pCPUs with a scheduler under test, and vCPUs that only note when they run.
#pragma once

#include "sim/clock.h"
#include "sim/cpu/cpu_scheduler.h"

#include <list>
#include <vector>

namespace pegasus::sim::testing {

struct VcpuRecorder final : Vcpu {
  explicit VcpuRecorder(Clock const& of) : clock(of) {}
  void on_cpu() override { began = clock.now(); }
  void off_cpu() override { ended = clock.now(); }
  Clock const& clock;
  Time began{}, ended{};
};

template <class Scheduler> struct VcpuPool {
  using Id = CpuScheduler::VcpuId;
  explicit VcpuPool(typename Scheduler::Options const& options) : scheduler(clock, options) {}
  explicit VcpuPool(unsigned pcpus) : VcpuPool({.pcpus = pcpus}) {}

  Id add(VcpuSettings const& settings) {
    vcpus.emplace_back(clock);
    return scheduler.add(vcpus.back(), settings);
  }
  // One that always runs.
  Id add_spinning(VcpuSettings const& settings) {
    Id const id = add(settings);
    scheduler.wake(id);
    return id;
  }
  void run(Nanos span) { clock.run_until(clock.now() + span); }
  // What each has of one pCPU in the time that follows.
  std::vector<double> shares(std::vector<Id> const& of, Nanos span = std::chrono::seconds(10)) {
    std::vector<double> shares;
    for (Id const id : of)
      shares.push_back(-std::chrono::duration<double>(scheduler.cpu_time(id)) / span);
    run(span);
    for (std::size_t n = 0; n < of.size(); ++n)
      shares[n] += std::chrono::duration<double>(scheduler.cpu_time(of[n])) / span;
    return shares;
  }
  double share(Id vcpu) { return shares({vcpu}).front(); }

  Clock clock;
  Scheduler scheduler;
  std::list<VcpuRecorder> vcpus;
};

} // namespace pegasus::sim::testing
