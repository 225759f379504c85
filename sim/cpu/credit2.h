// SPDX-License-Identifier: Apache-2.0
// Xen's credit2 scheduler (xen/common/sched/credit2.c of 4.17), as far as it decides when a vCPU runs: one
// run queue in the order of credit, credits burnt by time on a pCPU in inverse proportion to weight and reset
// for all when the next vCPU has none, preemption on wake-up, rate limit, resistance against migration, caps
// and pinning. docs/design/simulator.md says what is not modelled.
#pragma once

#include "sim/clock.h"
#include "sim/cpu/cap_budget.h"
#include "sim/cpu/cpu_scheduler.h"
#include "sim/timeline.h"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace pegasus::sim {

class Credit2 final : public CpuScheduler {
public:
  // A run queue has no more pCPUs in Xen (MAX_CPUS_RUNQ).
  static constexpr unsigned max_pcpus = 16;
  struct Options {
    unsigned pcpus = 1;                            // at most max_pcpus
    Nanos ratelimit{std::chrono::milliseconds(1)}; // a vCPU runs at least this long unless it blocks
  };
  Credit2(Clock& clock, Options const& options, Timeline* timeline = nullptr);

  VcpuId add(Vcpu& vcpu, VcpuSettings const& settings) override;
  void wake(VcpuId vcpu) override;
  void block(VcpuId vcpu) override;
  // Nothing: credit2 orders by credit alone.
  void boost(VcpuId /*vcpu*/) override {}
  void stop_all() override;
  // credit_left is what xen-patches/0001 exports: credits, whatever the weight, as of the last change
  // that Xen wrote.
  [[nodiscard]] VcpuState state(VcpuId vcpu) const override;
  [[nodiscard]] Nanos cpu_time(VcpuId vcpu) const override;

private:
  static constexpr Nanos migrate_resist{std::chrono::microseconds(500)};
  struct Domain {
    std::unique_ptr<CapBudget> budget; // nullptr: it has no cap
    std::vector<VcpuId> parked;        // wait for budget
  };
  struct Unit { // a vCPU
    Vcpu* vcpu;
    VcpuSettings settings;
    Domain* domain;
    unsigned pcpu = 0;               // it runs on, or ran last
    std::optional<unsigned> tickled; // the pCPU that was told to take it
    Nanos credit{0};                 // a nanosecond of the vCPU of the greatest weight
    Nanos exported_credit{0};        // as Xen wrote it last
    std::int64_t residual = 0;       // of the division by its weight
    Nanos budget{0};                 // if its domain has a cap
    Time burnt_until{};              // while it runs
    Time running_since{};
    Time blocked_since{};
    Nanos ran{0};
    bool runnable = false;
    bool running = false;
    bool parked = false;
  };
  struct Pcpu {
    std::optional<VcpuId> current;
    bool tickled = false; // schedules at once
    std::unique_ptr<Timer> softirq;
  };

  void schedule(unsigned pcpu);
  void change(unsigned pcpu, std::optional<VcpuId> next);
  void stop(Pcpu& pcpu);
  void start(Pcpu& pcpu, VcpuId next);
  void leave(VcpuId id);
  void burn(Unit& unit);
  void reset_credit(Unit const& next);
  void enqueue(VcpuId id);
  [[nodiscard]] bool grab_budget(VcpuId id);
  void unpark(Domain& domain);
  [[nodiscard]] std::optional<VcpuId> candidate(unsigned pcpu);
  [[nodiscard]] Nanos runtime(Unit const& next, bool continues) const;

  // In credit2_tickle.cpp:
  void tickle(VcpuId id);
  void tickle_pcpu(unsigned pcpu);
  [[nodiscard]] std::optional<unsigned> idle_pcpu_for(Unit const& unit) const;
  [[nodiscard]] std::optional<unsigned> busy_pcpu_for(Unit const& unit);
  [[nodiscard]] Nanos score(Unit const& unit, unsigned pcpu);
  [[nodiscard]] bool preemptable(Unit const& unit) const;

  Clock& clock_;
  Options options_;
  Timeline* timeline_;
  std::vector<Unit> units_;
  std::vector<Pcpu> pcpus_;
  std::map<std::uint32_t, Domain> domains_;
  std::deque<VcpuId> queue_; // the most credit first
  std::int64_t max_weight_ = 1;
  unsigned next_pick_ = 0; // where the next vCPU is placed first
};

} // namespace pegasus::sim
