// SPDX-License-Identifier: Apache-2.0
// How the time of an accelerator over a span was divided, from two readings of the trusted totals.
#pragma once

#include "policies/fairness.h"
#include "policies/view.h"

#include <algorithm>
#include <span>
#include <vector>

namespace pegasus::monitor {

// One domain over a span: what it received, and its weight, to which its entitled share is proportional.
struct Received {
  policies::Nanos device_time{0};
  double weight = 1;
};

// Fraction of the span in which the device was busy, 0..1. 0 for an empty span.
[[nodiscard]] inline double utilization(policies::Nanos device_time, policies::Nanos span) {
  using Seconds = std::chrono::duration<double>;
  return span > policies::Nanos{0} ? std::clamp(Seconds(device_time) / Seconds(span), 0.0, 1.0) : 0;
}

// Each domain's part of the sum; all 0 if the sum is 0.
[[nodiscard]] inline std::vector<double> shares(std::span<Received const> domains) {
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
// that had work for the whole span: leave out the others.
[[nodiscard]] inline double min_max_ratio(std::span<Received const> domains) {
  std::vector<double> received;
  std::vector<double> entitled;
  for (Received const& domain : domains) {
    received.push_back(static_cast<double>(domain.device_time.count()));
    entitled.push_back(domain.weight);
  }
  return policies::min_max_ratio(received, entitled);
}

} // namespace pegasus::monitor
