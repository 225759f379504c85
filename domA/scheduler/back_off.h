// SPDX-License-Identifier: Apache-2.0
// A domain that keeps others waiting beyond its time slice is barred until each of the others could have had
// as much time for its credits, and twice as long with each task that had to be killed. A policy charges such
// time, too, but a work-conserving policy would hand the device to the offender again whenever the others
// pause for a moment.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pegasus::scheduler {

using policies::DomainId;
using policies::Nanos;
using policies::Time;

class BackOff {
public:
  static constexpr Nanos longest{std::chrono::seconds(60)};

  // An overrun up to `tolerated` is normal: a queue on the device or one block of a kernel takes as much.
  void tolerate(Nanos tolerated) { tolerated_ = tolerated; }

  // `domain` kept others waiting for `overrun` after its time slice. `others`: their credits over its own.
  void overran(DomainId domain, Nanos overrun, double others, Time now) {
    if (overrun > tolerated_) bar(domain, scaled(overrun, others), now);
  }
  // As overran(), for a task that did not end by itself.
  void killed(DomainId domain, Nanos overrun, double others, Time now) {
    Offence& offence = offences_[domain];
    // Earlier kills are forgiven if it then behaved for as long as it was barred.
    if (now - overrun > offence.until + offence.length) offence.kills = 0;
    double const doubled = static_cast<double>(1U << std::min(offence.kills++, 16U));
    bar(domain, scaled(overrun, others * doubled), now);
  }

  // The domain's calls are hidden until this time; if it is not later than now, they are visible.
  [[nodiscard]] Time until(DomainId domain) const {
    auto const found = offences_.find(domain);
    return found == offences_.end() ? Time{} : found->second.until;
  }
  // When the next bar ends.
  [[nodiscard]] Time next_end() const { return ends_.empty() ? Time::max() : ends_.begin()->first; }
  // Takes a domain whose bar ended by `now`; returns each domain once.
  [[nodiscard]] std::optional<DomainId> take_ended(Time now) {
    if (next_end() > now) return std::nullopt;
    return ends_.extract(ends_.begin()).value().second;
  }
  void forget(DomainId domain) {
    ends_.erase({until(domain), domain});
    offences_.erase(domain);
  }

private:
  struct Offence {
    Time until{};
    Nanos length{0};
    unsigned kills = 0; // in a row
  };
  static Nanos scaled(Nanos overrun, double factor) {
    double const time = static_cast<double>(overrun.count()) * std::max(factor, 0.0);
    return time < static_cast<double>(longest.count()) ? Nanos(static_cast<std::int64_t>(time)) : longest;
  }
  void bar(DomainId domain, Nanos length, Time now) {
    Offence& offence = offences_[domain];
    if (now + length <= std::max(offence.until, now)) return;
    ends_.erase({offence.until, domain});
    offence.until = now + length;
    offence.length = length;
    ends_.insert({offence.until, domain});
  }

  Nanos tolerated_{0};
  std::map<DomainId, Offence> offences_;
  std::set<std::pair<Time, DomainId>> ends_; // of the barred domains
};

} // namespace pegasus::scheduler
