// SPDX-License-Identifier: Apache-2.0
#include "monitor/service_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegasus::monitor {

namespace {

constexpr int waits_averaged = 8; // an exponential average

} // namespace

void ServiceMeter::sample(Sample const& now_is, Time now) {
  if (!sampled_) {
    period_began_ = wanted_until_ = now;
    busy_at_beginning_ = last_.device_busy = now_is.device_busy;
  }
  Nanos const passed = std::max(now - sampled_.value_or(now), Nanos{0});
  Nanos const used = now_is.device_busy - last_.device_busy;
  // A call at an open gate that came and went between two samples was not seen, but what it used was.
  Nanos const wanted = last_.has_calls ? passed : std::clamp(used, Nanos{0}, passed);
  had_calls_ += wanted;
  service_.wanted += wanted;
  if (wanted > Nanos{0}) wanted_until_ = now + pause;
  if (last_.has_calls && !last_.gate_open) {
    service_.waited += wanted;
    wait_ += wanted;
  }
  if (wait_ > Nanos{0} && (now_is.gate_open || !now_is.has_calls)) {
    Nanos const wait = std::exchange(wait_, Nanos{0});
    service_.average_wait += (wait - service_.average_wait) / waits_averaged;
  }
  if (now > wanted_until_) wanted_throughout_ = false;
  last_ = now_is;
  sampled_ = now;
  if (now - period_began_ >= period) end_period(now_is, now);
}

// The looks do not come exactly on the second: a period is as long as it was. If a domain was not looked at
// for several periods, all of them are taken to be equal.
void ServiceMeter::end_period(Sample const& now_is, Time now) {
  using Seconds = std::chrono::duration<double>;
  Seconds const length = now - period_began_;
  Seconds const received = now_is.device_busy - busy_at_beginning_;
  service_.last_period = std::clamp(received / length, 0.0, 1.0);
  double const wanted = std::clamp(Seconds(had_calls_) / length, 0.0, 1.0);
  service_.demand += (wanted - service_.demand) * -std::expm1(-length / Seconds(demand_memory));
  service_.violated = false;
  if (now_is.slo > 0 && wanted_throughout_) {
    auto const periods = static_cast<std::uint64_t>((now - period_began_) / period);
    service_.periods += periods;
    service_.violated = received + Seconds(tolerance_) < now_is.slo * length;
    if (service_.violated) service_.violations += periods;
  }
  period_began_ = now;
  busy_at_beginning_ = now_is.device_busy;
  had_calls_ = Nanos{0};
  wanted_throughout_ = now_is.has_calls || now <= wanted_until_;
}

Service ServiceMeter::service(Time now) const {
  if (!sampled_) return {};
  ServiceMeter meter = *this;
  meter.sample(last_, now);
  return meter.service_;
}

void ServiceMeter::reset() {
  service_ = {.last_period = service_.last_period, .violated = service_.violated, .demand = service_.demand};
}

void Service::visit(policies::StateVisitor& state) {
  state.duration("wanted", wanted);
  state.duration("waited", waited);
  state.duration("average_wait", average_wait);
  state.field("periods", periods);
  state.field("violations", violations);
  state.field("last_period", last_period);
  state.field("violated", violated);
  state.field("demand", demand);
}

void ServiceMeter::Sample::visit(policies::StateVisitor& state) {
  state.field("has_calls", has_calls);
  state.field("gate_open", gate_open);
  state.duration("device_busy", device_busy);
  state.field("slo", slo);
}

void ServiceMeter::visit(policies::StateVisitor& state) {
  state.field("service", service_);
  state.field("sampled", sampled_);
  state.field("last", last_);
  state.duration("wait", wait_);
  state.duration("had_calls", had_calls_);
  state.field("wanted_until", wanted_until_);
  state.field("period_began", period_began_);
  state.duration("busy_at_beginning", busy_at_beginning_);
  state.field("wanted_throughout", wanted_throughout_);
}

} // namespace pegasus::monitor
