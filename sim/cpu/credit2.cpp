// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/credit2.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Nanos none{0};
constexpr Nanos credit_init{milliseconds(10)}; // CSCHED2_CREDIT_INIT
constexpr Nanos credit_min = -credit_init;
constexpr Nanos idle_credit = credit_min - Nanos{1};
constexpr Nanos min_timer{microseconds(500)};
constexpr Nanos max_timer = credit_init;
constexpr Nanos carryover_max = min_timer;
constexpr Nanos migrate_compensation{microseconds(50)};

} // namespace

Credit2::Credit2(Clock& clock, Options const& options, Timeline* timeline)
    : clock_(clock), options_(options), timeline_(timeline), pcpus_(options.pcpus) {
  for (unsigned number = 0; number < options.pcpus; ++number)
    pcpus_[number].softirq = std::make_unique<Timer>(clock, [this, number] { schedule(number); });
}

CpuScheduler::VcpuId Credit2::add(Vcpu& vcpu, VcpuSettings const& settings) {
  Domain& domain = domains_[settings.domain];
  if (settings.cap > 0 && domain.budget == nullptr)
    domain.budget = std::make_unique<CapBudget>(clock_, settings.cap, [this, &domain] { unpark(domain); });
  if (domain.budget != nullptr) domain.budget->add_vcpu();
  Unit unit{.vcpu = &vcpu,
            .settings = settings,
            .domain = &domain,
            .tickled = std::nullopt,
            .credit = credit_init,
            .exported_credit = credit_init};
  for (unsigned step = 0; step < options_.pcpus; ++step) {
    unit.pcpu = (next_pick_ + step) % options_.pcpus;
    if (may_run_on(settings, unit.pcpu)) break;
  }
  next_pick_ = (unit.pcpu + 1) % options_.pcpus;
  max_weight_ = std::max<std::int64_t>(max_weight_, settings.weight);
  units_.push_back(unit);
  return units_.size() - 1;
}

// csched2_unit_wake
void Credit2::wake(VcpuId id) {
  Unit& unit = units_[id];
  if (unit.runnable) return;
  unit.runnable = true;
  if (unit.running) return; // it blocked at this very moment: schedule() finds it runnable
  if (unit.parked) return;
  unit.exported_credit = unit.credit;
  enqueue(id);
  tickle(id);
}

void Credit2::block(VcpuId id) {
  Unit& unit = units_[id];
  unit.runnable = false;
  unit.blocked_since = clock_.now();
  if (unit.running) pcpus_[unit.pcpu].softirq->at(clock_.now());
}

VcpuState Credit2::state(VcpuId id) const {
  Unit const& unit = units_[id];
  return {.running = unit.running && unit.runnable,
          .runnable = unit.runnable,
          .running_since = unit.running_since,
          .blocked_since = unit.blocked_since,
          .credit_left = std::max(unit.exported_credit, none)};
}

Nanos Credit2::cpu_time(VcpuId id) const {
  Unit const& unit = units_[id];
  return unit.running ? unit.ran + (clock_.now() - unit.running_since) : unit.ran;
}

// runq_insert: behind those of the same credit.
void Credit2::enqueue(VcpuId id) {
  auto const behind =
      std::ranges::find_if(queue_, [&](VcpuId other) { return units_[id].credit > units_[other].credit; });
  queue_.insert(behind, id);
}

// burn_credits
void Credit2::burn(Unit& unit) {
  Nanos const ran = clock_.now() - unit.burnt_until;
  std::int64_t const weighted = ran.count() * max_weight_ + unit.residual;
  std::int64_t const weight = unit.settings.weight;
  unit.residual = weighted % weight;
  unit.credit = std::max(unit.credit - Nanos{weighted / weight}, credit_min);
  if (unit.domain->budget != nullptr) unit.budget -= ran;
  unit.burnt_until = clock_.now();
}

// `next` is the first of the vCPUs that could run, and has no credit.
void Credit2::reset_credit(Unit const& next) {
  Nanos const more = next.credit == credit_min ? 2 * credit_init : credit_init;
  for (Unit& unit : units_) {
    if (unit.running) {
      burn(unit);
      if (unit.domain->budget != nullptr && unit.budget <= none) tickle_pcpu(unit.pcpu);
    }
    unit.credit = std::min(unit.credit + more, credit_init + carryover_max);
    unit.exported_credit = unit.credit;
  }
}

// unit_grab_budget. False: the vCPU is parked until its domain has budget again.
bool Credit2::grab_budget(VcpuId id) {
  Unit& unit = units_[id];
  if (unit.domain->budget == nullptr || unit.budget > none) return true;
  unit.budget = unit.domain->budget->take(unit.budget);
  if (unit.budget > none) return true;
  unit.parked = true;
  std::erase(queue_, id);
  unit.domain->parked.push_back(id);
  return false;
}

// unpark_parked_units: the last one first.
void Credit2::unpark(Domain& domain) {
  auto const parked = std::exchange(domain.parked, {});
  for (std::size_t n = parked.size(); n-- > 0;) {
    Unit& unit = units_[parked[n]];
    unit.parked = false;
    if (!unit.runnable || unit.running) continue;
    unit.exported_credit = unit.credit;
    enqueue(parked[n]);
    tickle(parked[n]);
  }
}

// runq_candidate: nullopt if the pCPU has nothing to run.
std::optional<CpuScheduler::VcpuId> Credit2::candidate(unsigned number) {
  std::optional<VcpuId> next = pcpus_[number].current;
  if (next && (!units_[*next].runnable || units_[*next].parked)) next.reset();
  if (next && clock_.now() - units_[*next].running_since < options_.ratelimit) return next;
  Nanos const credit = next ? units_[*next].credit : idle_credit;
  auto const waiting = queue_; // a vCPU without budget leaves the queue
  for (VcpuId const id : waiting) {
    Unit const& unit = units_[id];
    if (unit.credit <= credit) break;
    if (!may_run_on(unit.settings, number)) continue;
    if (unit.tickled && *unit.tickled != number && pcpus_[*unit.tickled].tickled) continue;
    if (unit.pcpu != number && credit + migrate_resist > unit.credit) continue;
    if (grab_budget(id)) return id;
  }
  return next;
}

// csched2_runtime: until its credit is that of the first in the queue, or is used up.
Nanos Credit2::runtime(Unit const& next, bool continues) const {
  Nanos least = options_.ratelimit;
  if (continues) least -= clock_.now() - next.running_since;
  least = std::max(least, min_timer);
  Nanos credit = next.credit;
  if (!queue_.empty() && units_[queue_.front()].credit > none) credit -= units_[queue_.front()].credit;
  Nanos time = std::max(credit, none) * next.settings.weight / max_weight_;
  if (next.domain->budget != nullptr) time = std::min(time, next.budget);
  if (time < least) return least;
  return std::min(time, max_timer);
}

// csched2_schedule
void Credit2::schedule(unsigned number) {
  Pcpu& pcpu = pcpus_[number];
  pcpu.tickled = false;
  std::optional<VcpuId> const previous = pcpu.current;
  if (previous) {
    burn(units_[*previous]);
    (void)grab_budget(*previous);
  }
  std::optional<VcpuId> const next = candidate(number);
  if (!next) return change(number, next);
  if (next != previous) std::erase(queue_, *next);
  Unit& unit = units_[*next];
  Nanos top = unit.credit;
  if (!queue_.empty()) top = std::max(top, units_[queue_.front()].credit);
  if (top <= none) reset_credit(unit);
  unit.burnt_until = clock_.now();
  unit.tickled.reset();
  if (unit.pcpu != number) {
    unit.credit += migrate_compensation;
    unit.pcpu = number;
  }
  unit.exported_credit = unit.credit;
  pcpu.softirq->after(runtime(unit, next == previous));
  if (next != previous) change(number, next);
}

void Credit2::change(unsigned number, std::optional<VcpuId> next) {
  Pcpu& pcpu = pcpus_[number];
  std::optional<VcpuId> const previous = pcpu.current;
  stop(pcpu);
  if (next) start(pcpu, *next);
  if (previous) leave(*previous);
}

void Credit2::stop(Pcpu& pcpu) {
  if (!pcpu.current) return;
  Unit& unit = units_[*pcpu.current];
  unit.running = false;
  unit.exported_credit = unit.credit;
  unit.ran += clock_.now() - unit.running_since;
  if (timeline_ != nullptr)
    timeline_->vcpu_ran(unit.pcpu, unit.settings.domain, unit.running_since, clock_.now());
  pcpu.current.reset();
  unit.vcpu->off_cpu();
}

void Credit2::start(Pcpu& pcpu, VcpuId next) {
  Unit& unit = units_[next];
  pcpu.current = next;
  unit.running = true;
  unit.running_since = clock_.now();
  unit.vcpu->on_cpu();
}

// csched2_context_saved
void Credit2::leave(VcpuId id) {
  Unit& unit = units_[id];
  bool freed = false;
  if (unit.domain->budget != nullptr && unit.budget > none) {
    freed = unit.domain->budget->give_back(unit.budget);
    unit.budget = none;
  }
  if (unit.runnable && !unit.parked) {
    enqueue(id);
    tickle(id);
  }
  if (freed) unpark(*unit.domain);
}

void Credit2::stop_all() {
  for (Pcpu& pcpu : pcpus_)
    stop(pcpu);
}

} // namespace pegasus::sim
