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

void BackOff::note(Overrun overrun) {
  if (overrun.killed || !tolerates(overrun.time)) noted_.push_back(std::move(overrun));
}

std::vector<DomainId> BackOff::judge(std::function<bool(DomainId)> const& owes, Time now) {
  std::vector<DomainId> barred;
  for (Overrun& overrun : std::exchange(noted_, {})) {
    DomainId const domain = overrun.domain;
    if (overrun.killed || owes(domain)) bar(std::move(overrun), now);
    if (until(domain) > now) barred.push_back(domain);
  }
  return barred;
}

void BackOff::bar(Overrun overrun, Time now) {
  double const doubled = static_cast<double>(1U << doublings(overrun, now));
  Nanos const length = scaled(overrun.time, overrun.waiting.parts * doubled);
  Offence& offence = offences_[overrun.domain];
  if (now + length <= std::max(offence.until, now)) return;
  offence.until = now + length;
  offence.length = length;
  offence.killed = overrun.killed;
  offence.overrun = std::min(overrun.time, length);
  offence.waiting = std::move(overrun.waiting.domains);
  look_at(overrun.domain, offence, now + offence.overrun);
}

unsigned BackOff::doublings(Overrun const& overrun, Time now) {
  if (!overrun.killed) return 0;
  Offence& offence = offences_[overrun.domain];
  // Earlier kills are forgiven if it then behaved for as long as it was barred.
  if (now - overrun.time > offence.until + offence.length) offence.kills = 0;
  return std::min(offence.kills++, 16U);
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
  std::erase_if(noted_, [domain](Overrun const& overrun) { return overrun.domain == domain; });
  auto const found = offences_.find(domain);
  if (found == offences_.end()) return;
  looks_.erase({found->second.look, domain});
  offences_.erase(found);
}

Time BackOff::until(DomainId domain) const {
  auto const found = offences_.find(domain);
  return found == offences_.end() ? Time{} : found->second.until;
}

bool BackOff::killed(DomainId domain) const {
  auto const found = offences_.find(domain);
  return found != offences_.end() && found->second.killed;
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
