// SPDX-License-Identifier: Apache-2.0
// A domain that keeps others waiting beyond its time slice is barred until each of the others could have had
// as much time for its part of the device (Entry::divides_by, policies/registry.h), and twice as long with
// each task that had to be killed. A policy charges such time, too, but a work-conserving policy would hand
// the device to the offender again whenever the others pause for a moment.
//
// A bar is a promise to those who waited, not a punishment: it ends when none of them has wanted the device
// for as long as they were kept from it, or when the last of them has left. One that comes back later loses
// at most half of its time to the next overrun.
#pragma once

#include "domA/scheduler/record_queue.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace pegasus::scheduler {

using policies::DomainId;
using policies::Nanos;
using policies::Time;

struct DomainRecord; // records.h
class Records;

class BackOff {
public:
  static constexpr Nanos longest{std::chrono::seconds(60)};

  // What a domain did; until is not later than now if it is not barred.
  struct Offence {
    Time until{};
    Nanos length{0};
    Nanos overrun{0};
    std::vector<DomainId> waiting{};
    Time look{};         // at it: the end of its bar, or what may be that
    unsigned kills = 0;  // in a row
    bool killed = false; // its last bar is for a kill

    void visit(policies::StateVisitor& state);
  };
  // Those who were kept waiting.
  struct Waiting {
    std::vector<DomainId> domains;
    double parts = 0; // of the device, their sum, over that of the domain that kept them waiting
  };
  // When a domain last wanted the device: `now` if it does; nullopt if it has left.
  using WantedAt = std::function<std::optional<Time>(DomainId domain)>;

  struct Overrun {
    DomainRecord* domain;
    Nanos time;  // for which it kept others waiting after its time slice
    bool killed; // its task did not end by itself
    Waiting waiting;
  };
  // An overrun up to `tolerated` is normal: a queue on the device or one block of a kernel takes as much.
  void tolerate(Nanos tolerated) { tolerated_ = tolerated; }
  [[nodiscard]] bool tolerates(Nanos overrun) const { return overrun <= tolerated_; }
  void note(Overrun overrun); // unless it is tolerated; a kill never is
  // Bars the domains whose overruns were noted since the last call: those that owe something for it (`owes`), and those
  // whose task was killed. Returns the barred.
  [[nodiscard]] std::vector<DomainRecord*> judge(std::function<bool(DomainId)> const& owes, Time now);
  // A domain has no tasks any more: bars that were made for it are looked at again.
  void left(Time now);
  void forget(DomainRecord const& domain); // its record ends

  // The domain's calls are hidden until this time at most; if it is not later than now, they are visible.
  [[nodiscard]] static Time until(DomainRecord const& domain);
  // Whether its last bar was made for a task that had to be killed.
  [[nodiscard]] static bool killed(DomainRecord const& domain);
  [[nodiscard]] bool any() const { return !looks_.empty(); } // domain is barred
  // When the next bar ends, or may end.
  [[nodiscard]] Time next_end() const { return looks_.first_key(); }
  // Takes a domain whose bar has ended; returns each domain once, and nullptr if there is none.
  [[nodiscard]] DomainRecord* take_ended(Time now, WantedAt const& wanted_at);

  // What it keeps beside the records, which have been visited.
  void visit(policies::StateVisitor& state, Records& records);

private:
  void bar(Overrun overrun, Time now);
  [[nodiscard]] static unsigned doublings(Overrun const& overrun, Time now); // counts a kill
  void look_at(DomainRecord& domain, Time when);
  [[nodiscard]] static Time end_of(Offence const& offence, Time now, WantedAt const& wanted_at);

  Nanos tolerated_{0};
  std::vector<Overrun> noted_;
  RecordQueue<DomainRecord> looks_; // at the barred domains
};

} // namespace pegasus::scheduler
