// SPDX-License-Identifier: Apache-2.0
// Domains that are to have at least a part of the device's time, their SLO, whatever the policy: a reservation for each,
// as in mClock (Gulati, Merchant, Varman, OSDI 2010), kept by a bucket, as a constant bandwidth server's (Abeni,
// Buttazzo, RTSS 1998). A bucket fills at the SLO's rate, and all device time of the domain is taken out, whether the
// policy or the reservation gave it. A domain that has calls and a full bucket is due: it has the device, and no other
// domain has, until its bucket is empty. Of several, the one that has been due for longest goes first.
//
//   * An average bucket is full four ticks after it was empty, use of the device included: there are two changes of the
//     owner in that time, and no more than in twenty of what a change costs. A policy that gives a domain its part in
//     rounds of about that length does so without help.
//   * While the domain has no calls it saves up a tenth of a second's part; while it waits, up to a second's. What it had
//     by the policy beyond its part counts for a tenth of a second's part: it has no claim meanwhile.
//   * What a kernel takes beyond the bucket is missing at the next refill. So the rate holds whatever the kernels' lengths,
//     and the reservation gives a domain no more than its part.
//   * A domain that is due is waited for through short gaps: a program that waits for each of its calls would lose the
//     device to a kernel that cannot be stopped in each gap. Such time is free up to an eighth of what it uses, and
//     is taken out of the bucket beyond that: who keeps the device and does not use it soon is not due any more.
//
// The cost of each call grows with the logarithm of the number of domains that have an SLO.
#pragma once

#include "domA/scheduler/record_queue.h"
#include "policies/decision.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

#include <optional>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::Time;

struct DomainRecord; // records.h
class Records;

class Reservations {
public:
  struct State {
    bool has_calls = false;
    bool may_run = false; // it has tasks, and has not had its cap
    Nanos used{0};        // device time so far; a total that decreases begins anew

    void visit(policies::StateVisitor& state);
  };
  // Of a domain for which a part is reserved.
  struct Bucket {
    double part = 0;
    Nanos level{0};
    Nanos idle{0}; // for which it had the device and did not use it, less what is free; since it was chosen
    Nanos charged{0}; // ... for that
    Time filled_at{};
    State state{};
    Time quiet_since{};           // without calls
    std::optional<Time> due_at{}; // its place in due_
    Time not_before{};            // it becomes due
    bool known = false;           // state.used is a total that was seen

    void visit(policies::StateVisitor& visitor);
  };

  // Of the policies' ticks, and what a change of the device's owner costs. Holds for what is set later and now.
  void set_lengths(Nanos tick, Nanos switch_cost);
  // `part`: of the device's time; 0: none is reserved. A change leaves what is in the bucket.
  void set(DomainRecord& domain, double part, Time now);
  void forget(DomainRecord& domain, Time now); // its record ends

  void update(DomainRecord& domain, State const& state, Time now);

  // The domain that goes before all others now, nullptr if there is none: the same until its bucket is empty or it has
  // had no calls for a while. `drained`: no domain has the device that had it before.
  [[nodiscard]] DomainRecord* choose(bool drained, Time now);
  void release(Time now) { // no domain goes before others
    if (chosen_ != nullptr) end(now);
  }
  [[nodiscard]] DomainRecord* chosen() const { return chosen_; }
  // Whether it is the reservation that gives or gave the domain the device, which it has or has not left yet.
  void give(bool given) { given_ = given; }
  [[nodiscard]] bool gives(DomainRecord const& domain) const {
    return (given_ && chosen_ == &domain) || leaving_ == &domain;
  }
  // Replaces the policy's decision by one for the domain that is due, if there is one and the policy has not chosen it
  // alone. Returns whether it did.
  struct Circumstances {
    bool allowed; // reservations are kept
    bool drained;
    bool again; // the last decision was replaced, too
  };
  [[nodiscard]] bool replace(policies::Decision& next, Circumstances const& is, Time now);
  void begins(Time now) { has_device_since_ = now; } // the chosen one's time: all others have left the device

  // Of the chosen domain: when its bucket is empty if it uses the device all the time, and when to ask again.
  [[nodiscard]] Time empty_at(Time now) const;
  [[nodiscard]] Time ask_again(Time now) const;
  // When the next domain will be due.
  [[nodiscard]] Time next_due(Time now) const { return due_.first_after(now); }

  // What it keeps beside the records, which have been visited, but for the lengths.
  void visit(policies::StateVisitor& state, Records& records);

private:
  [[nodiscard]] Nanos full(double part) const;
  [[nodiscard]] Nanos least() const; // time for which the owner does not change
  [[nodiscard]] Nanos hold() const;
  void fill(DomainRecord& domain, Time now) const;
  void take(DomainRecord& domain, Nanos used, Nanos passed);
  void line_up(DomainRecord& domain, Time now);
  [[nodiscard]] bool goes_on(Bucket const& bucket, Time now) const;
  void lift(DomainRecord& domain, Time now);
  void end(Time now);

  Nanos tick_{std::chrono::milliseconds(10)};
  Nanos switch_cost_{0};
  RecordQueue<DomainRecord> due_; // from when on, of those with calls
  DomainRecord* chosen_ = nullptr;
  DomainRecord const* leaving_ = nullptr; // its record may have no bucket any more
  bool given_ = false;
  std::optional<Time> has_device_since_;
};

} // namespace pegasus::scheduler
