// SPDX-License-Identifier: Apache-2.0
// Which pCPU is told to run a vCPU that has become runnable.
#include "sim/cpu/credit2.h"

namespace pegasus::sim {
namespace {

constexpr Nanos ratelimit_tolerance{std::chrono::microseconds(50)};

} // namespace

void Credit2::tickle_pcpu(unsigned pcpu) {
  pcpus_[pcpu].tickled = true;
  pcpus_[pcpu].softirq->at(clock_.now());
}

// runq_tickle: an idle pCPU, else one that runs a vCPU with less credit.
void Credit2::tickle(VcpuId id) {
  Unit& unit = units_[id];
  auto pcpu = idle_pcpu_for(unit);
  if (!pcpu) pcpu = busy_pcpu_for(unit);
  if (!pcpu) return;
  tickle_pcpu(*pcpu);
  unit.tickled = pcpu;
}

std::optional<unsigned> Credit2::idle_pcpu_for(Unit const& unit) const {
  for (unsigned step = 0; step < options_.pcpus; ++step) {
    unsigned const number = (unit.pcpu + step) % options_.pcpus;
    Pcpu const& pcpu = pcpus_[number];
    if (!pcpu.current && !pcpu.tickled && may_run_on(unit.settings, number)) return number;
  }
  return std::nullopt;
}

// Its own, else the one where it has the most credit more.
std::optional<unsigned> Credit2::busy_pcpu_for(Unit const& unit) {
  std::optional<unsigned> best;
  Nanos most{0};
  for (unsigned step = 0; step < options_.pcpus; ++step) {
    unsigned const number = step == 0 ? unit.pcpu : step <= unit.pcpu ? step - 1 : step;
    if (!pcpus_[number].current || pcpus_[number].tickled || !may_run_on(unit.settings, number)) continue;
    Nanos const found = score(unit, number);
    if (found <= most) continue;
    if (number == unit.pcpu) return number;
    most = found;
    best = number;
  }
  return best;
}

// tickle_score
Nanos Credit2::score(Unit const& unit, unsigned pcpu) {
  Unit& current = units_[*pcpus_[pcpu].current];
  if (!preemptable(current)) return Nanos{-1};
  burn(current);
  Nanos const more = unit.credit - current.credit;
  return unit.pcpu == pcpu ? more : more - migrate_resist;
}

bool Credit2::preemptable(Unit const& unit) const {
  return options_.ratelimit <= ratelimit_tolerance ||
         clock_.now() - unit.running_since > options_.ratelimit - ratelimit_tolerance;
}

} // namespace pegasus::sim
