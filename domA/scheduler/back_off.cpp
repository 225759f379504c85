// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/back_off.h"

#include "domA/scheduler/records.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pegasus::scheduler {
namespace {

Nanos scaled(Nanos overrun, double factor) {
  double const time = static_cast<double>(std::max(overrun, Nanos{0}).count()) * std::max(factor, 0.0);
  return time < static_cast<double>(BackOff::longest.count()) ? Nanos(static_cast<std::int64_t>(time))
                                                              : BackOff::longest;
}

// An overrun as it is saved.
struct Noted {
  DomainId domain = 0;
  Nanos time{0};
  bool killed = false;
  std::vector<DomainId> waiting;
  double parts = 0;

  void visit(policies::StateVisitor& state) {
    state.field("domain", domain);
    state.field("time", time);
    state.field("killed", killed);
    state.ascending("waiting", waiting);
    state.field("parts", parts);
  }
};

} // namespace

void BackOff::note(Overrun overrun) {
  if (overrun.killed || !tolerates(overrun.time)) noted_.push_back(std::move(overrun));
}

std::vector<DomainRecord*> BackOff::judge(std::function<bool(DomainId)> const& owes, Time now) {
  std::vector<DomainRecord*> barred;
  for (Overrun& overrun : std::exchange(noted_, {})) {
    DomainRecord* const domain = overrun.domain;
    if (overrun.killed || owes(domain->id)) bar(std::move(overrun), now);
    if (until(*domain) > now) barred.push_back(domain);
  }
  return barred;
}

void BackOff::bar(Overrun overrun, Time now) {
  double const doubled = static_cast<double>(1U << doublings(overrun, now));
  Nanos const length = scaled(overrun.time, overrun.waiting.parts * doubled);
  Offence& offence = overrun.domain->offence;
  if (now + length <= std::max(offence.until, now)) return;
  offence.until = now + length;
  offence.length = length;
  offence.killed = overrun.killed;
  offence.overrun = std::min(overrun.time, length);
  offence.waiting = std::move(overrun.waiting.domains);
  look_at(*overrun.domain, now + offence.overrun);
}

unsigned BackOff::doublings(Overrun const& overrun, Time now) {
  if (!overrun.killed) return 0;
  Offence& offence = overrun.domain->offence;
  // Earlier kills are forgiven if it then behaved for as long as it was barred.
  if (now - overrun.time > offence.until + offence.length) offence.kills = 0;
  return std::min(offence.kills++, 16U);
}

void BackOff::look_at(DomainRecord& domain, Time when) {
  looks_.erase(domain.offence.look, domain);
  domain.offence.look = when;
  looks_.insert(when, domain);
}

void BackOff::left(Time now) {
  for (auto const& [when, domain] : std::exchange(looks_, {}))
    look_at(*domain, std::min(when, now));
}

void BackOff::forget(DomainRecord const& domain) {
  std::erase_if(noted_, [&domain](Overrun const& overrun) { return overrun.domain == &domain; });
  looks_.erase(domain.offence.look, domain);
}

Time BackOff::until(DomainRecord const& domain) { return domain.offence.until; }

bool BackOff::killed(DomainRecord const& domain) { return domain.offence.killed; }

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

DomainRecord* BackOff::take_ended(Time now, WantedAt const& wanted_at) {
  while (!looks_.empty() && next_end() <= now) {
    DomainRecord& domain = looks_.first();
    Offence& offence = domain.offence;
    if (Time const end = end_of(offence, now, wanted_at); end > now) {
      look_at(domain, end);
      continue;
    }
    looks_.erase(offence.look, domain);
    offence.until = std::min(offence.until, now);
    offence.waiting.clear();
    return &domain;
  }
  return nullptr;
}

void BackOff::Offence::visit(policies::StateVisitor& state) {
  state.field("until", until);
  state.duration("length", length);
  state.field("overrun", overrun);
  state.ascending("waiting", waiting);
  state.field("look", look);
  state.field("kills", kills);
  state.field("killed", killed);
}

void BackOff::visit(policies::StateVisitor& state, Records& records) {
  std::vector<Noted> noted;
  for (Overrun const& overrun : noted_)
    noted.push_back({.domain = overrun.domain->id,
                     .time = overrun.time,
                     .killed = overrun.killed,
                     .waiting = overrun.waiting.domains,
                     .parts = overrun.waiting.parts});
  state.field("noted", noted);
  std::set<DomainId> barred;
  for (auto const& [when, domain] : looks_)
    barred.insert(domain->id);
  state.field("barred", barred);
  if (!state.restoring()) return;
  for (Noted& each : noted) {
    DomainRecord* const domain = records.find(each.domain);
    state.require(domain != nullptr, "noted");
    if (domain != nullptr)
      noted_.push_back({domain, each.time, each.killed, {std::move(each.waiting), each.parts}});
  }
  for (DomainId const id : barred) {
    DomainRecord* const domain = records.find(id);
    state.require(domain != nullptr, "barred");
    if (domain != nullptr) looks_.insert(domain->offence.look, *domain);
  }
}

} // namespace pegasus::scheduler
