// SPDX-License-Identifier: Apache-2.0
#include "monitor/service_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegasus::monitor {

namespace {

constexpr int waits_averaged = 8; // an exponential average

} // namespace

void ServiceMeter::sample(DomainId id, Sample const& now_is, Time now) {
  auto const [found, is_new] = domains_.try_emplace(id);
  Domain& domain = found->second;
  if (is_new) {
    domain.period_began = domain.sampled = domain.wanted_until = now;
    domain.busy_at_beginning = domain.last.device_busy = now_is.device_busy;
  }
  sample(domain, now_is, now);
}

void ServiceMeter::sample(Domain& domain, Sample const& now_is, Time now) const {
  Nanos const passed = std::max(now - domain.sampled, Nanos{0});
  Nanos const used = now_is.device_busy - domain.last.device_busy;
  // A call at an open gate that came and went between two samples was not seen, but what it used was.
  Nanos const wanted = domain.last.has_calls ? passed : std::clamp(used, Nanos{0}, passed);
  domain.had_calls += wanted;
  domain.service.wanted += wanted;
  if (wanted > Nanos{0}) domain.wanted_until = now + pause;
  if (domain.last.has_calls && !domain.last.gate_open) {
    domain.service.waited += wanted;
    domain.wait += wanted;
  }
  if (domain.wait > Nanos{0} && (now_is.gate_open || !now_is.has_calls)) {
    Nanos const wait = std::exchange(domain.wait, Nanos{0});
    domain.service.average_wait += (wait - domain.service.average_wait) / waits_averaged;
  }
  if (now > domain.wanted_until) domain.wanted_throughout = false;
  domain.last = now_is;
  domain.sampled = now;
  if (now - domain.period_began >= period) end_period(domain, now_is, now);
}

// The looks do not come exactly on the second: a period is as long as it was. If a domain was not looked at
// for several periods, all of them are taken to be equal.
void ServiceMeter::end_period(Domain& domain, Sample const& now_is, Time now) const {
  using Seconds = std::chrono::duration<double>;
  Seconds const length = now - domain.period_began;
  Seconds const received = now_is.device_busy - domain.busy_at_beginning;
  domain.service.last_period = std::clamp(received / length, 0.0, 1.0);
  double const wanted = std::clamp(Seconds(domain.had_calls) / length, 0.0, 1.0);
  domain.service.demand += (wanted - domain.service.demand) * -std::expm1(-length / Seconds(demand_memory));
  domain.service.violated = false;
  if (now_is.slo > 0 && domain.wanted_throughout) {
    auto const periods = static_cast<std::uint64_t>((now - domain.period_began) / period);
    domain.service.periods += periods;
    domain.service.violated = received + Seconds(tolerance_) < now_is.slo * length;
    if (domain.service.violated) domain.service.violations += periods;
  }
  domain.period_began = now;
  domain.busy_at_beginning = now_is.device_busy;
  domain.had_calls = Nanos{0};
  domain.wanted_throughout = now_is.has_calls || now <= domain.wanted_until;
}

Service ServiceMeter::of(DomainId domain) const {
  auto const found = domains_.find(domain);
  return found == domains_.end() ? Service{} : found->second.service;
}

Service ServiceMeter::of(DomainId id, Time now) const {
  auto const found = domains_.find(id);
  if (found == domains_.end()) return {};
  Domain domain = found->second;
  sample(domain, domain.last, now);
  return domain.service;
}

void ServiceMeter::reset() {
  for (auto& [id, domain] : domains_)
    domain.service = {.last_period = domain.service.last_period,
                      .violated = domain.service.violated,
                      .demand = domain.service.demand};
}

} // namespace pegasus::monitor
