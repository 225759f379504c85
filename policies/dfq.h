// SPDX-License-Identifier: Apache-2.0
// Disengaged fair queuing (NEON), with weights for groups. Menychtas, Shen, Scott, "Disengaged Scheduling for
// Fair, Protected Access to Fast Computational Accelerators", ASPLOS 2014; Fleig, "Fair GPU scheduling for
// nested virtualization", sections 2.4.6 and 3.3.4.
//
// Rule: sampling and free runs alternate.
//   1. Sampling. The device is drained, and each domain that has calls and is not too far ahead (3) runs alone
//      for half a tick.
//   2. Each domain has a tag: device time that it has used, divided by its weight. The least tag of the
//      active domains is the system's virtual time. A domain is active if it has calls, and after them for
//      as long as the work that it did before, up to half a tick: a program that computes between two
//      calls is active.
//   3. Free run. All domains run together, except those that are too far ahead: a domain stays
//      blocked if, by what its sample predicts, it would end the free run ahead by more than all the
//      time of the free run. The one with the least tag always runs. The free run is five times as
//      long as the sampling (`free_run`).
//   4. A domain that was not active is at most half a tick behind the virtual time: more time is not saved up,
//      but what it lacks when it computes for longer than it is active is not lost to a kernel of another one.
//      One that was barred wanted the device, and stays as far behind as it has fallen.
// In a free run no gate is closed and opened, so domains use what the others leave free, and a device that
// executes several contexts at once does so. That costs the time in which a domain stays blocked although the
// others pause: shares are kept over several cycles, not within one.
//
// Deviations
//   * NEON does not see what is used in a free run and infers it from the samples. Ours is metered. Where the
//     times of several contexts overlap, the free run's time is divided in proportion to them.
//   * A lone domain is not sampled. If none of the domains of a free run is active while a blocked one has
//     calls, the next free run begins.
//   * The thesis gives a task the weight w(parent) * children(parent) in one flat queue. Here each level has
//     its own: the policy's queue holds the domains, by credits, and the dispatcher holds back those of a
//     domain's tasks that are ahead of its others (task_slices.h). The shares are the same when all have
//     work; what an idle task leaves goes to its domain first.
//
// Promise: over ten cycles, domains that always have work receive device time in proportion to their credits,
// whatever the lengths of their kernels. With n equal credits, a domain that has calls waits at most n * (4
// ticks + the longest kernel). A program that computes between its calls and uses less than half of the device has
// (K - F) / (2 K - F) of the time beside kernels of length K, where F is the free run of one domain: 0.43 for 100 ms.
#pragma once

#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::policies {

class DisengagedFairQueuing final : public Policy {
public:
  explicit DisengagedFairQueuing(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override;
  void visit(StateVisitor& state) override;

private:
  struct Queue { // of one domain
    DomainId id = 0;
    std::int64_t weight = 1;
    Nanos tag{0}; // ahead of the virtual time of the last free run's beginning
    Nanos seen_total{0};
    Nanos used{0};     // in this sample or free run
    double demand = 1; // part of its last sample in which it used the device
    bool connected = false;
    bool ready = false;              // it has calls
    bool barred = false;             // they are hidden
    Nanos work{0};                   // device time that it has used while active, up to a sample's length
    Time active_until = Time::min(); // unless it has calls by then
    bool to_sample = false;          // in this cycle
    bool runs = false;

    void visit(StateVisitor& state);
  };

  void update(View const& view);
  void look_at(std::uint32_t position, DomainView const& domain);
  void stay_active(Queue& queue, Nanos used, bool ready);
  [[nodiscard]] Queue enter(DomainView const& domain) const;
  void recount();
  [[nodiscard]] std::optional<Reason> stop_reason() const;
  [[nodiscard]] bool active(Queue const& queue) const { return queue.ready || now_ < queue.active_until; }
  [[nodiscard]] bool only_blocked_have_calls() const { return ready_ > 0 && ready_running_ == 0; }
  void book();
  void next_phase(Reason reason);
  void choose_samples();
  void sample(std::uint32_t position);
  void begin_free_run();
  void set_length();
  [[nodiscard]] std::optional<double> begin_virtual_time();
  [[nodiscard]] std::optional<Nanos> least_tag() const;
  void choose();
  [[nodiscard]] bool may_run(Queue const& queue, double demands) const;
  [[nodiscard]] Decision answer(Reason reason);

  Nanos sample_; // length of a sample
  Nanos max_debt_;
  Nanos lag_;       // how far a domain that was not active may be behind
  double free_run_; // length of a free run over that of the sampling
  Time now_ = no_view;
  std::vector<Queue> queues_;            // in the order of View::domains
  std::optional<std::uint32_t> sampled_; // position of the domain that runs alone
  bool sampling_ = false;
  bool came_or_went_ = true;        // domains, since the last choice
  std::uint32_t ready_ = 0;         // domains that have calls
  std::uint32_t ready_running_ = 0; // ... and run
  Time served_until_{};             // when the last one of those that run is no longer active
  Nanos ran_{0};                    // of the sample or free run
  Nanos length_{0};                 // of the free run
  std::vector<DomainId> run_;       // the last Decision's
};

} // namespace pegasus::policies
