// SPDX-License-Identifier: Apache-2.0
// Who got how much of an accelerator over a span, from two readings of the trusted totals.
#pragma once

#include "policies/fairness.h"
#include "policies/view.h"

#include <algorithm>
#include <span>
#include <vector>

namespace pegasus::monitor {

// One domain over a span: what it received, and what it was entitled to in proportion to the others' weights.
struct Received {
  policies::Nanos device_time{0};
  double weight = 1;
};

// Part of the span that the device was busy, 0..1. An empty span: 0.
[[nodiscard]] inline double utilization(policies::Nanos device_time, policies::Nanos span) {
  using Seconds = std::chrono::duration<double>;
  return span > policies::Nanos{0} ? std::clamp(Seconds(device_time) / Seconds(span), 0.0, 1.0) : 0;
}

// Each domain's part of all that was received; all 0 if there was nothing.
[[nodiscard]] inline std::vector<double> shares(std::span<const Received> domains) {
  double sum = 0;
  for (Received const& domain : domains)
    sum += static_cast<double>(domain.device_time.count());
  std::vector<double> result;
  result.reserve(domains.size());
  for (Received const& domain : domains)
    result.push_back(sum > 0 ? static_cast<double>(domain.device_time.count()) / sum : 0);
  return result;
}

// MMR = min x / max x with x = received share / entitled share (policies/fairness.h). Meaningful for domains
// that had work for the whole span: leave the others out.
[[nodiscard]] inline double min_max_ratio(std::span<const Received> domains) {
  std::vector<double> received;
  std::vector<double> entitled;
  for (Received const& domain : domains) {
    received.push_back(static_cast<double>(domain.device_time.count()));
    entitled.push_back(domain.weight);
  }
  return policies::min_max_ratio(received, entitled);
}

} // namespace pegasus::monitor
