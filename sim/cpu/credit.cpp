// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/credit.h"

#include <algorithm>
#include <functional>
#include <map>

namespace pegasus::sim {
namespace {

constexpr int ticks_per_slice = 3; // CSCHED_TICKS_PER_TSLICE

} // namespace

Credit::Credit(Clock& clock, Options const& options, Timeline* timeline)
    : clock_(clock), options_(options), timeline_(timeline), pcpus_(options.pcpus),
      accounting_(clock, [this] { account(); }) {
  for (unsigned number = 0; number < options.pcpus; ++number) {
    Pcpu& pcpu = pcpus_[number];
    pcpu.softirq = std::make_unique<Timer>(clock, [this, number] { schedule(number); });
    pcpu.tick = std::make_unique<Timer>(clock, [this, number] { tick(number); });
    Nanos const tick = options.slice / ticks_per_slice;
    pcpu.tick->after(options.ticks_spread ? tick + tick * number / options.pcpus : tick);
  }
  accounting_.after(options.slice);
}

CpuScheduler::VcpuId Credit::add(Vcpu& vcpu, VcpuSettings const& settings) {
  Unit unit{.vcpu = &vcpu, .settings = settings};
  std::vector<std::size_t> load(pcpus_.size());
  for (Unit const& other : units_)
    ++load[other.pcpu];
  std::optional<unsigned> least;
  for (unsigned pcpu = 0; pcpu < pcpus_.size(); ++pcpu)
    if (may_run_on(unit.settings, pcpu) && (!least || load[pcpu] < load[*least])) least = pcpu;
  unit.pcpu = least.value_or(0);
  units_.push_back(unit);
  return units_.size() - 1;
}

// csched_unit_wake
void Credit::wake(VcpuId id) {
  Unit& unit = units_[id];
  if (unit.runnable) return;
  unit.runnable = true;
  if (unit.running) return; // it blocked at this very moment: schedule() finds it runnable
  if (unit.parked) return;
  if (unit.priority == Priority::under) unit.priority = Priority::boost;
  enqueue(id);
  tickle(id);
}

void Credit::block(VcpuId id) {
  Unit& unit = units_[id];
  unit.runnable = false;
  unit.blocked_since = clock_.now();
  if (unit.running) pcpus_[unit.pcpu].softirq->at(clock_.now());
}

// csched_unit_wake, at the end of a pause
void Credit::boost(VcpuId id) {
  Unit& unit = units_[id];
  if (!unit.runnable || unit.running || unit.parked || unit.priority != Priority::under) return;
  dequeue(id);
  unit.priority = Priority::boost;
  enqueue(id);
  tickle(id);
}

VcpuState Credit::state(VcpuId id) const {
  Unit const& unit = units_[id];
  Nanos credit = unit.credit;
  if (unit.running) credit -= clock_.now() - unit.burnt_until;
  return {.running = unit.running && unit.runnable,
          .runnable = unit.runnable,
          .running_since = unit.running_since,
          .blocked_since = unit.blocked_since,
          .credit_left = std::max(credit, Nanos{0})};
}

Nanos Credit::cpu_time(VcpuId id) const {
  Unit const& unit = units_[id];
  return unit.running ? unit.ran + (clock_.now() - unit.running_since) : unit.ran;
}

// __runq_insert: behind those of its own priority.
void Credit::enqueue(VcpuId id) {
  auto& queue = pcpus_[units_[id].pcpu].queue;
  auto const behind =
      std::ranges::find_if(queue, [&](VcpuId other) { return units_[other].priority < units_[id].priority; });
  queue.insert(behind, id);
  ++queued_;
}

void Credit::dequeue(VcpuId id) { queued_ -= std::erase(pcpus_[units_[id].pcpu].queue, id); }

Credit::Priority Credit::head(Pcpu const& pcpu) const {
  return pcpu.queue.empty() ? Priority::idle : units_[pcpu.queue.front()].priority;
}

Credit::Priority Credit::current_priority(Pcpu const& pcpu) const {
  return pcpu.current ? units_[*pcpu.current].priority : Priority::idle;
}

// __runq_tickle: an idle pCPU that may run it, else its own if it comes before what runs there.
void Credit::tickle(VcpuId id) {
  Unit const& unit = units_[id];
  Pcpu& own = pcpus_[unit.pcpu];
  if (!own.current) return own.softirq->at(clock_.now());
  for (unsigned other = 0; other < pcpus_.size(); ++other)
    if (!pcpus_[other].current && may_run_on(unit.settings, other))
      return pcpus_[other].softirq->at(clock_.now());
  if (unit.priority > current_priority(own)) own.softirq->at(clock_.now());
}

void Credit::burn(Unit& unit) {
  unit.credit -= clock_.now() - unit.burnt_until;
  unit.burnt_until = clock_.now();
}

// csched_schedule
void Credit::schedule(unsigned number) {
  Pcpu& pcpu = pcpus_[number];
  if (pcpu.current) {
    Unit& unit = units_[*pcpu.current];
    burn(unit);
    Time const earliest = unit.running_since + options_.ratelimit;
    bool const keeps = unit.runnable && !unit.parked;
    if (keeps && clock_.now() < earliest) return pcpu.softirq->at(earliest);
    // It goes on if nothing comes before it or equals it.
    if (keeps && unit.priority > head(pcpu) && unit.priority > Priority::over)
      return pcpu.softirq->after(options_.slice);
  }
  std::optional<VcpuId> const previous = pcpu.current;
  if (previous && units_[*previous].runnable && !units_[*previous].parked) enqueue(*previous);
  std::optional<VcpuId> const next = take_next(number);
  if (next && next == previous) return pcpu.softirq->after(options_.slice);
  stop(pcpu);
  if (next) start(pcpu, number, *next);
}

void Credit::stop(Pcpu& pcpu) {
  if (!pcpu.current) return;
  Unit& unit = units_[*pcpu.current];
  unit.running = false;
  unit.ran += clock_.now() - unit.running_since;
  if (timeline_ != nullptr)
    timeline_->vcpu_ran(unit.pcpu, unit.settings.domain, unit.running_since, clock_.now());
  pcpu.current.reset();
  unit.vcpu->off_cpu();
}

void Credit::stop_all() {
  for (Pcpu& pcpu : pcpus_)
    stop(pcpu);
}

void Credit::start(Pcpu& pcpu, unsigned number, VcpuId next) {
  Unit& unit = units_[next];
  pcpu.current = next;
  unit.pcpu = number;
  unit.running = true;
  unit.running_since = unit.burnt_until = clock_.now();
  pcpu.softirq->after(options_.slice);
  unit.vcpu->on_cpu();
}

// The head of its own queue, unless another pCPU has a better one waiting (csched_load_balance).
std::optional<CpuScheduler::VcpuId> Credit::take_next(unsigned number) {
  Pcpu& pcpu = pcpus_[number];
  Priority const own = head(pcpu);
  if (own <= Priority::over)
    if (auto const stolen = steal(number, own)) return stolen;
  if (pcpu.queue.empty()) return std::nullopt;
  VcpuId const next = pcpu.queue.front();
  pcpu.queue.pop_front();
  --queued_;
  return next;
}

std::optional<CpuScheduler::VcpuId> Credit::steal(unsigned number, Priority above) {
  if (queued_ == pcpus_[number].queue.size()) return std::nullopt; // the others' are empty
  for (std::size_t step = 1; step < pcpus_.size(); ++step) {
    Pcpu& peer = pcpus_[(number + step) % pcpus_.size()];
    if (!peer.current) continue; // it is about to take its own
    for (VcpuId const id : peer.queue) {
      if (units_[id].priority <= above) break;
      if (!may_run_on(units_[id].settings, number)) continue;
      dequeue(id);
      return id;
    }
  }
  return std::nullopt;
}

// csched_unit_acct
void Credit::tick(unsigned number) {
  Pcpu& pcpu = pcpus_[number];
  pcpu.tick->after(options_.slice / ticks_per_slice);
  if (!pcpu.current) return;
  Unit& unit = units_[*pcpu.current];
  if (unit.priority == Priority::boost) unit.priority = Priority::under;
  burn(unit);
  unit.active = true;
}

// csched_acct: the credit of one slice of all pCPUs, to the active vCPUs by their domains' weights. What a
// domain cannot use goes to the others.
void Credit::account() {
  accounting_.after(options_.slice);
  struct Share {
    std::uint64_t weight = 0;
    std::int64_t active = 0;
    std::uint32_t cap = 0;
  };
  std::map<std::uint32_t, Share> domains;
  std::uint64_t weights = 0;
  for (Unit const& unit : units_) {
    if (!unit.active) continue;
    Share& share = domains[unit.settings.domain];
    ++share.active;
    share.weight += unit.settings.weight;
    share.cap = unit.settings.cap;
    weights += unit.settings.weight;
  }
  Nanos left = options_.slice * static_cast<std::int64_t>(pcpus_.size());
  // In the order of what each weight's unit may use at most: those that are limited leave theirs to the rest.
  std::vector<std::pair<std::uint32_t, Share>> order(domains.begin(), domains.end());
  auto const peak = [this](Share const& share) {
    Nanos most = options_.slice * share.active;
    return share.cap > 0 ? std::min(most, options_.slice * share.cap / 100) : most;
  };
  std::ranges::stable_sort(order, {}, [&](auto const& each) {
    return static_cast<double>(peak(each.second).count()) / static_cast<double>(each.second.weight);
  });
  std::map<std::uint32_t, Nanos> fair; // of one vCPU of the domain
  for (auto const& [id, share] : order) {
    Nanos const part = std::min(
        Nanos(static_cast<std::int64_t>(static_cast<double>(left.count()) *
                                        static_cast<double>(share.weight) / static_cast<double>(weights))),
        peak(share));
    fair[id] = part / share.active;
    left -= part;
    weights -= share.weight;
  }
  for (Pcpu const& pcpu : pcpus_)
    if (pcpu.current) burn(units_[*pcpu.current]);
  for (Unit& unit : units_)
    if (unit.active) {
      Share const& share = domains.at(unit.settings.domain);
      give(unit, fair.at(unit.settings.domain),
           unit.settings.cap > 0 ? options_.slice * unit.settings.cap / 100 / share.active : Nanos{0});
    }
  sort_queues();
}

// `cap`: how far the credit of a capped vCPU may be overdrawn before it is parked; 0: it has no cap.
void Credit::give(Unit& unit, Nanos fair, Nanos cap) {
  unit.credit += fair;
  auto const id = static_cast<VcpuId>(&unit - units_.data());
  if (unit.credit < Nanos{0}) {
    unit.priority = Priority::over;
    if (cap > Nanos{0} && unit.credit < -cap && !unit.parked) {
      unit.parked = true;
      if (unit.running)
        pcpus_[unit.pcpu].softirq->at(clock_.now());
      else
        dequeue(id);
    }
    unit.credit = std::max(unit.credit, -options_.slice);
    return;
  }
  unit.priority = Priority::under;
  if (unit.parked) {
    unit.parked = false;
    if (unit.runnable && !unit.running) {
      enqueue(id);
      tickle(id);
    }
  }
  if (unit.credit > options_.slice) {
    unit.active = false;
    unit.credit /= 2;
  }
}

// csched_runq_sort. What runs goes on until its slice ends.
void Credit::sort_queues() {
  for (Pcpu& pcpu : pcpus_)
    std::ranges::stable_sort(pcpu.queue, std::ranges::greater{},
                             [this](VcpuId id) { return units_[id].priority; });
}

} // namespace pegasus::sim
