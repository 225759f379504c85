// SPDX-License-Identifier: Apache-2.0
// Xen's credit scheduler for accelerators, as FairGV's authors built it to compare with: "simple time-sharing
// based on a time slice" (Hong, Spence, Nikolopoulos, TPDS 2017, section 5.3). What follows is what
// credit_poll.h, credit_hs.h and strict_co.h have in common.
//
//   1. A domain burns credit while it has the device: time, not use. What its last kernel takes beyond the
//      time slice is not charged.
//   2. Every 30 ms (three ticks) the domains in the queue receive 30 ms of credit by their weights;
//      no balance is more than that, or less than minus that. A domain with less than no credit is
//      OVER, else UNDER.
//   3. UNDER goes before OVER, and first come, first served among equals. A time slice lasts 30 ms. After it,
//      or when it is interrupted, a domain goes to the tail of its queue.
//
// These policies are baselines: they are as unfair as the paper finds them. Kernels that are longer than a
// time slice gain time, and so do those that interrupt others. The weight is the accelerator credits.
#pragma once

#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

class XenCredit final {
public:
  struct Kind {
    bool polls;       // a domain without calls keeps its place and its time slice
    bool follows_cpu; // a domain that comes onto a CPU may interrupt (FairGV, Algorithm 2)
  };
  XenCredit(Tunables const& tunables, Kind const& kind);
  [[nodiscard]] Decision decide(View const& view);
  void visit(StateVisitor& state);

private:
  struct Account { // of one domain
    DomainId id = 0;
    std::uint32_t weight = default_credits;
    Nanos credit{0};
    std::uint64_t queued = 0; // the least is at the head
    bool runnable = false;
    bool over = false;
    bool on_cpu = false;
    bool requests = false; // it came onto a CPU since the last View

    void visit(StateVisitor& state);
  };
  struct Place { // of a runnable domain
    bool over;
    std::uint64_t queued;
    std::uint32_t position;
    auto operator<=>(Place const&) const = default;
  };

  void update(View const& view);
  void look_at(std::uint32_t position, DomainView const& domain);
  void line_up();
  void account();
  [[nodiscard]] std::optional<Reason> stop_reason() const;
  [[nodiscard]] std::optional<std::uint32_t> coscheduled() const;
  void to_the_tail(std::uint32_t position);
  [[nodiscard]] Decision answer(Reason reason) const;
  [[nodiscard]] Place place(std::uint32_t position) const;

  Kind kind_;
  Nanos slice_;
  Nanos review_; // of the CPU schedule
  Time now_ = no_view;
  Time accounted_{};
  std::uint64_t queued_ = 0;             // the last number given
  std::vector<Account> accounts_;        // in the order of View::domains
  std::set<Place> line_;                 // the runnable domains
  std::optional<std::uint32_t> running_; // its position
  Nanos ran_{0};                         // of the time slice
};

} // namespace pegasus::policies
