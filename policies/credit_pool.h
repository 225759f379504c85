// SPDX-License-Identifier: Apache-2.0
// Accelerator credit that is burnt by use and refilled in proportion, as Xen's credit scheduler does with CPU
// credit. For policies that choose the best domain again at each tick (augc, cosched).
//
// 1. Each domain has a balance of device time. All its use is subtracted, including use after the end of its
//    slice. Time in which its gate was open and the device idle counts half: it denied the device to the
//    others.
// 2. When no domain that has calls has credit left, each balance is raised by the length of the domain's time
//    slice in accc.h, X / Xmin ticks. The received time therefore stays in proportion to the credits, in
//    whatever order the domains with credit are served.
// 3. A slice is a tick, or the rest of the balance, or less where many domains have calls (`longest_wait`). It ends early when the domain has no calls left and is
//    not waited for (`hold`, anticipation.h), or, after a tenth of a tick, when the policy lets another
//    domain interrupt it.
// 4. A domain that ran out of calls but has credit resumes its slice when it has calls again, the running
//    domain has had a tenth of a tick, and the policy prefers it to all others. Domains that compute between
//    their calls behave like this.
// 5. Credit is not banked: an idle domain keeps one time slice. Use while no other domain wanted the device
//    makes no debt. Time in which no domain has calls pays debts.
//
// A decision looks at the domains that changed and at those on a CPU. Its cost is logarithmic in their
// number. A refill visits all domains that have calls, each of which has used a time slice to earn it.
#pragma once

#include "policies/accc.h"
#include "policies/anticipation.h"
#include "policies/slice_limits.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

struct CreditAccount {
  DomainId id = 0;
  Nanos balance{0}; // device time left; a debt if negative
  Nanos boost{0};   // added to the balance in comparisons
  Nanos seen_total{0};
  Nanos seen_idle{0};        // as DrrQueue's
  std::uint64_t refills = 0; // how many it has had
  Time waits_since{};        // with calls and not running
  bool ready = false;        // it has calls
  bool wants = false;        // ... or has its slice and is expected back
  bool on_cpu = false;
  bool yielded = false; // it left its slice because it ran out of calls

  void visit(StateVisitor& state);
  [[nodiscard]] bool has_credit() const { return balance > Nanos{0}; }
  [[nodiscard]] bool returns() const { return yielded && has_credit(); } // to its slice, once it has calls
};

class CreditPool {
public:
  struct Choice {
    // Added to the credit of a domain that is on a CPU; at least 0.
    Nanos (*boost)(DomainView const& domain, Nanos tick);
    bool interrupts; // a domain on a CPU may end the slice of one that is not
    Nanos patience;  // a domain with credit that has waited this long is next; 0: off
  };

  CreditPool(Tunables const& tunables, Choice const& choice);
  [[nodiscard]] Decision decide(View const& view);
  [[nodiscard]] Nanos debt(DomainId id) const;
  void visit(StateVisitor& state);

private:
  struct ByCredit { // the most first
    Nanos balance;
    std::uint32_t position;
    auto operator<=>(ByCredit const& other) const {
      if (balance != other.balance) return other.balance <=> balance;
      return position <=> other.position;
    }
    bool operator==(ByCredit const&) const = default;
  };
  struct ByWait { // domains with credit, the longest wait first
    Time since;
    std::uint32_t position;
    auto operator<=>(ByWait const&) const = default;
  };

  void update(View const& view, Nanos had);
  void look_at_all(View const& view);
  void look_at(std::uint32_t position);
  [[nodiscard]] CreditAccount enter(DomainView const& domain) const;
  void catch_up(CreditAccount& account, Nanos slice) const;
  void charge(CreditAccount& account, Nanos used) const;
  void line_up(std::uint32_t position);
  void insert(std::uint32_t position);
  void step_out(std::uint32_t position);
  void refill();
  [[nodiscard]] static bool before(CreditAccount const& first, CreditAccount const& second);
  [[nodiscard]] std::optional<std::uint32_t> best() const;
  [[nodiscard]] std::optional<Reason> stop_reason(std::uint32_t next);
  void start(std::uint32_t position, bool changes_owner, bool interrupts);
  [[nodiscard]] Nanos interrupted_in(std::uint32_t next) const;
  [[nodiscard]] Nanos least_slice() const;
  [[nodiscard]] Decision answer(Reason reason) const;

  Nanos tick_;
  Choice choice_;
  Nanos longest_wait_;
  Nanos min_granularity_; // no switch for less than this
  Nanos max_debt_;
  Anticipation anticipation_;
  CreditSlices slices_;
  Time now_ = no_view;
  Nanos idle_{0};                        // total time in which no domain had the device
  std::uint64_t refills_ = 0;            // total
  std::vector<CreditAccount> accounts_;  // in the order of View::domains
  std::set<ByCredit> by_credit_;         // domains that want the device
  std::set<ByWait> by_wait_;             // ... and credit, if the policy's patience is not 0
  std::set<std::uint32_t> on_cpu_;       // ... and are on a CPU
  std::uint32_t contenders_ = 0;         // domains that wanted the device at the last View
  std::optional<std::uint32_t> running_; // its position
  Nanos ran_{0};                         // of the slice
  Nanos slice_{0};
  View const* view_ = nullptr; // the View being decided
};

} // namespace pegasus::policies
