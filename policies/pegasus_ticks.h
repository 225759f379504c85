// SPDX-License-Identifier: Apache-2.0
// Pegasus' ticks as the paper has them, by polling time (Gupta, Schwan, Tolia, Talwar, Ranganathan, USENIX ATC 2011).
// Baselines: accc.h, xc.h, augc.h and cosched.h are our own reading, by device time. What follows is what
// pegasus_xc.h, pegasus_augc.h and pegasus_cosched.h have in common.
//
//   1. A thread for each guest takes calls from the guest's buffer (3.1); the scheduler wakes the thread of the next
//      domain and puts that of the last one to sleep (5). So a domain has the accelerator for its ticks, whether it
//      calls or not: domains "are polled for different time periods" (4.1), and what is summed up is poll time (4.3).
//   2. Every domain that has tasks is in the ready queue: Algorithm 1 puts the one that ran back without a look at its
//      calls (4.1).
//   3. Algorithm 1: Tm = X / Xmin ticks for each domain in a round, where X are its credits and Xmin the least in the
//      queue; one tick for a domain that is new or has no context.
//   4. RR, AccC, XC and SLAF give all ticks of a domain at once, highest X first. AugC and CoSched choose for one tick
//      at a time: their thread looks at the hypervisor's schedule, then "sleeps for one timer interval" (5).
//
// Deviations
//   The paper does not say how a guest waits for its answer: it is the backend's threads that poll and sleep (3.1, 5).
//   Here the guest sleeps, as under all policies but those that want it to poll (Entry::guests_poll).
//   The paper's next thread begins while the last one's call is still executed. Here the device drains first, and the
//   ticks count from then.
//   Algorithm 2, of AugC and CoSched, may never serve a domain of few credits as it is printed. A domain that has calls
//   and has waited for 16 ticks is next, as in cosched.h.
//   The schedule is the current one: Xen does not know that of the coming period.
//   Tm is a whole number, and at most 16: credits of 65535:1 would give time slices of 11 minutes.
#pragma once

#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::policies {

class PegasusTicks final {
public:
  enum class Order {
    credits,   // the highest X of those with ticks left in the round, for all of these
    augmented, // the highest X + CPU credit, for one tick
    on_cpu,    // the highest X of those on a CPU, else of all, for one tick
  };
  PegasusTicks(Tunables const& tunables, Order order);
  [[nodiscard]] Decision decide(View const& view);
  void visit(StateVisitor& state);

private:
  struct Account { // of one domain
    DomainId id = 0;
    std::int64_t x = default_credits;
    std::int64_t cpu_credit = 0; // in Xen's unit; 0 if it is not on a CPU
    std::int64_t ticks_left = 1; // of the round
    Time waits_since{};          // for a tick, since it has calls
    std::uint64_t turn = 0;      // its last one; the least has waited longest
    bool connected = false;
    bool context = false;
    bool calls = false;
    bool on_cpu = false;

    void visit(StateVisitor& state);
  };

  void update(View const& view);
  void look_at(Account& account, DomainView const& domain) const;
  void begin_round();
  [[nodiscard]] std::optional<std::uint32_t> next();
  [[nodiscard]] std::optional<std::uint32_t> best(bool (*eligible)(Account const&)) const;
  [[nodiscard]] std::optional<std::uint32_t> impatient() const;
  void start(std::uint32_t position);

  Nanos tick_;
  Order order_;
  Time now_ = no_view;
  std::vector<Account> accounts_;        // in the order of View::domains
  std::optional<std::uint32_t> running_; // its position
  std::uint64_t turns_ = 0;
  Nanos slice_{0};
  Nanos ran_{0}; // of the slice
};

} // namespace pegasus::policies
