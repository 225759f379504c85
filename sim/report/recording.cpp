// SPDX-License-Identifier: Apache-2.0
#include "sim/report/recording.h"

#include <algorithm>

namespace pegasus::sim {

Nanos interval_begin(Nanos duration, std::size_t index) {
  return duration * static_cast<std::int64_t>(index) / static_cast<std::int64_t>(recorded_intervals);
}

void Recording::begin(Scenario const& scenario, std::string const& /*policy*/) {
  RunRecord& run = runs_.emplace_back();
  run.device.resize(scenario.domains.size());
  run.window = std::min(scenario.duration, recorded_window);
  began_ = policies::Time{} + scenario.warm_up;
  duration_ = scenario.duration;
}

// Pieces come by their ends. The one that makes them too many ends the window; what is still running
// then is cut.
void Recording::add(std::vector<Piece>& to, std::size_t row, std::size_t domain, Nanos from, Nanos end) {
  RunRecord& run = runs_.back();
  from = std::max(from, Nanos{0});
  end = std::min(end, run.window);
  if (from >= end) return;
  to.push_back({.row = static_cast<std::uint32_t>(row),
                .domain = static_cast<std::uint32_t>(std::min(domain, run.device.size())),
                .from = from,
                .to = end});
  if (run.cpu.size() + run.accelerator.size() >= recorded_pieces) run.window = std::min(run.window, end);
}

void Recording::vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) {
  if (pcpu < recorded_pcpus) add(runs_.back().cpu, pcpu, domain, from - began_, to - began_);
}

void Recording::kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from,
                           policies::Time to) {
  RunRecord& run = runs_.back();
  Nanos begin = std::max(from - began_, Nanos{0});
  Nanos const end = std::min(to - began_, duration_);
  if (accelerator < recorded_accelerators) add(run.accelerator, accelerator, domain, begin, end);
  if (begin >= end) return;
  RunRecord::Intervals& intervals = run.device[domain];
  auto const last = static_cast<std::int64_t>(recorded_intervals);
  auto index = static_cast<std::size_t>(begin * last / duration_);
  while (begin < end) {
    Nanos const until = std::min(interval_begin(duration_, index + 1), end);
    if (until > begin) {
      intervals[index] += until - begin;
      begin = until;
    }
    ++index;
  }
}

} // namespace pegasus::sim
