// SPDX-License-Identifier: Apache-2.0
#include "sim/report/deviation.h"

#include <algorithm>

namespace pegasus::sim {
namespace {

double in_seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }

std::optional<double> percent_off(double replayed, double recorded) {
  if (recorded <= 0) return std::nullopt;
  return 100 * (replayed / recorded - 1);
}

} // namespace

std::vector<Deviation> deviations(Scenario const& scenario, Run const& run) {
  std::vector<Deviation> all;
  if (!scenario.recorded || scenario.recorded->policy != run.policy) return all;
  double const length = in_seconds(run.outcome.duration) / in_seconds(scenario.recorded->duration);
  for (RecordedDomain const& recorded : scenario.recorded->domains) {
    DomainOutcome const& replayed =
        *std::ranges::find(run.outcome.domains, recorded.name, &DomainOutcome::name);
    double const calls = length * static_cast<double>(recorded.calls);
    all.push_back(
        {.domain = recorded.name,
         .share = 100 * (share(run.outcome, replayed) - recorded.share),
         .device_time = percent_off(in_seconds(replayed.device), length * in_seconds(recorded.device)),
         .calls = percent_off(static_cast<double>(kernels(replayed)), calls)});
  }
  return all;
}

} // namespace pegasus::sim
