// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/phases.h"

#include <cmath>

namespace pegasus::ctl {
namespace {

double number(std::uint64_t value) { return static_cast<double>(value); }

double idle_part(Interval const& of) {
  if (of.idle() && of.waited_ns == 0) return 1;
  return of.length_ns == 0 ? 0 : number(of.between_calls_ns()) / (number(of.tasks()) * number(of.length_ns));
}

// How many times the limit: a factor's distance is its logarithm.
double by_factor(double a, double b, double limit) {
  if (a <= 0 || b <= 0) return 0;
  return std::abs(std::log(a / b)) / std::log(limit);
}

// Of what differs most, in units of its limit; more than 1: two phases.
double difference(Interval const& a, Interval const& b) {
  double most = std::abs(idle_part(a) - idle_part(b)) / idle_limit;
  if (a.with_tasks_ns > 0 && b.with_tasks_ns > 0)
    most = std::max(most, by_factor(number(a.tasks()), number(b.tasks()), tasks_limit));
  if (std::min(a.calls, b.calls) < telling_calls) return most;
  most = std::max(most, by_factor(number(a.device_ns) / number(a.calls),
                                  number(b.device_ns) / number(b.calls), length_limit));
  if (std::min(a.sync_calls, b.sync_calls) < telling_calls) return most;
  return std::max(most, by_factor(number(a.calls) / number(a.sync_calls),
                                  number(b.calls) / number(b.sync_calls), outstanding_limit));
}

} // namespace

std::vector<Interval> phases_of(std::span<Interval const> intervals) {
  std::vector<Interval> phases(intervals.begin(), intervals.end());
  while (phases.size() > 1) {
    std::size_t nearest = 0;
    double least = difference(phases[0], phases[1]);
    for (std::size_t i = 1; i + 1 < phases.size(); ++i)
      if (double const here = difference(phases[i], phases[i + 1]); here < least) {
        least = here;
        nearest = i;
      }
    if (least > 1 && phases.size() <= most_phases) break;
    phases[nearest] += phases[nearest + 1];
    phases.erase(phases.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
  }
  return phases;
}

} // namespace pegasus::ctl
