// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/back_off.h"

#include <algorithm>

namespace pegasus::scheduler {
namespace {

Nanos scaled(Nanos overrun, double factor) {
  double const time = static_cast<double>(overrun.count()) * std::max(factor, 0.0);
  return time < static_cast<double>(BackOff::longest.count()) ? Nanos(static_cast<std::int64_t>(time))
                                                              : BackOff::longest;
}

} // namespace

void BackOff::overran(DomainId domain, Nanos overrun, Waiting waiting, Time now) {
  if (tolerates(overrun)) return;
  Nanos const length = scaled(overrun, waiting.credits);
  bar(domain, length, overrun, std::move(waiting), now);
}

void BackOff::killed(DomainId domain, Nanos overrun, Waiting waiting, Time now) {
  Offence& offence = offences_[domain];
  // Earlier kills are forgiven if it then behaved for as long as it was barred.
  if (now - overrun > offence.until + offence.length) offence.kills = 0;
  double const doubled = static_cast<double>(1U << std::min(offence.kills++, 16U));
  Nanos const length = scaled(overrun, waiting.credits * doubled);
  bar(domain, length, overrun, std::move(waiting), now);
}

void BackOff::bar(DomainId domain, Nanos length, Nanos overrun, Waiting waiting, Time now) {
  Offence& offence = offences_[domain];
  if (now + length <= std::max(offence.until, now)) return;
  offence.until = now + length;
  offence.length = length;
  offence.overrun = std::min(overrun, length);
  offence.waiting = std::move(waiting.domains);
  look_at(domain, offence, now + offence.overrun);
}

void BackOff::look_at(DomainId domain, Offence& offence, Time when) {
  looks_.erase({offence.look, domain});
  offence.look = when;
  looks_.insert({when, domain});
}

void BackOff::left(Time now) {
  for (auto const& [when, domain] : std::exchange(looks_, {}))
    look_at(domain, offences_.at(domain), std::min(when, now));
}

void BackOff::forget(DomainId domain) {
  auto const found = offences_.find(domain);
  if (found == offences_.end()) return;
  looks_.erase({found->second.look, domain});
  offences_.erase(found);
}

Time BackOff::until(DomainId domain) const {
  auto const found = offences_.find(domain);
  return found == offences_.end() ? Time{} : found->second.until;
}

// One of those who waited is enough to see that the bar goes on, but not for how long.
Time BackOff::end_of(Offence const& offence, Time now, WantedAt const& wanted_at) {
  Time end = now;
  for (DomainId const waiting : offence.waiting) {
    auto const wanted = wanted_at(waiting);
    if (wanted) end = std::max(end, *wanted + offence.overrun);
    if (end > now) break;
  }
  return std::min(end, offence.until);
}

std::optional<DomainId> BackOff::take_ended(Time now, WantedAt const& wanted_at) {
  while (next_end() <= now) {
    DomainId const domain = looks_.begin()->second;
    Offence& offence = offences_.at(domain);
    if (Time const end = end_of(offence, now, wanted_at); end > now) {
      look_at(domain, offence, end);
      continue;
    }
    looks_.erase(looks_.begin());
    offence.until = std::min(offence.until, now);
    offence.waiting.clear();
    return domain;
  }
  return std::nullopt;
}

} // namespace pegasus::scheduler
