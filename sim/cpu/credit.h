// SPDX-License-Identifier: Apache-2.0
// Xen's credit scheduler (xen/common/sched/credit.c of 4.17), as far as it decides when a vCPU runs:
// credits burnt by time on a pCPU and handed out by weight at each accounting; priorities BOOST, UNDER and
// OVER; run queues by pCPU, stealing, preemption on wake-up, caps and pinning. docs/design/simulator.md
// says what is not modelled.
#pragma once

#include "sim/clock.h"
#include "sim/cpu/cpu_scheduler.h"
#include "sim/timeline.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace pegasus::sim {

class Credit final : public CpuScheduler {
public:
  struct Options {
    unsigned pcpus = 1;
    Nanos slice{std::chrono::milliseconds(30)};    // also from one accounting to the next; a tick is a third
    Nanos ratelimit{std::chrono::milliseconds(1)}; // a vCPU runs at least this long unless it blocks
    // pCPUs tick one after the other, spread over a tick, not all at once. Xen starts a pCPU's ticks when the pCPU
    // joins the pool, and the accounting with the first one's (init_pdata).
    bool ticks_spread = false;
  };
  Credit(Clock& clock, Options const& options, Timeline* timeline = nullptr);

  VcpuId add(Vcpu& vcpu, VcpuSettings const& settings) override;
  void wake(VcpuId vcpu) override;
  void block(VcpuId vcpu) override;
  void boost(VcpuId vcpu) override;
  void stop_all() override;
  [[nodiscard]] VcpuState state(VcpuId vcpu) const override;
  [[nodiscard]] Nanos cpu_time(VcpuId vcpu) const override;

private:
  enum class Priority { idle, over, under, boost };
  struct Unit { // a vCPU
    Vcpu* vcpu;
    VcpuSettings settings;
    unsigned pcpu = 0; // the run queue it is on, or the pCPU it runs on
    Priority priority = Priority::under;
    Nanos credit{0};
    Time burnt_until{}; // while it runs
    Time running_since{};
    Time blocked_since{};
    Nanos ran{0};
    bool runnable = false;
    bool running = false;
    bool active = false; // gets credit: has run at a tick since it last had more than it can use
    bool parked = false; // its domain's cap is used up
  };
  struct Pcpu {
    std::optional<VcpuId> current;
    std::deque<VcpuId> queue; // ordered by priority
    std::unique_ptr<Timer> softirq, tick;
  };

  void schedule(unsigned pcpu);
  void tick(unsigned pcpu);
  void account();
  void give(Unit& unit, Nanos fair, Nanos cap);
  void burn(Unit& unit);
  void enqueue(VcpuId id);
  void dequeue(VcpuId id);
  void tickle(VcpuId id);
  void sort_queues();
  void stop(Pcpu& pcpu);
  void start(Pcpu& pcpu, unsigned number, VcpuId next);
  [[nodiscard]] std::optional<VcpuId> take_next(unsigned pcpu);
  [[nodiscard]] std::optional<VcpuId> steal(unsigned pcpu, Priority above);
  [[nodiscard]] Priority head(Pcpu const& pcpu) const;
  [[nodiscard]] Priority current_priority(Pcpu const& pcpu) const;

  Clock& clock_;
  Options options_;
  Timeline* timeline_;
  std::vector<Unit> units_;
  std::vector<Pcpu> pcpus_;
  std::size_t queued_ = 0; // vCPUs in all queues
  Timer accounting_;
};

} // namespace pegasus::sim
