// SPDX-License-Identifier: Apache-2.0
#include "sim/host.h"

#include "sim/accelerator/always_on_cpu.h"

#include <algorithm>
#include <map>

namespace pegasus::sim {
namespace {

std::optional<Nanos> since_begin(std::optional<Time> time) {
  return time ? std::optional(*time - Time{}) : std::nullopt;
}
TaskId task_id(std::size_t index) { return TaskId{static_cast<std::uint32_t>(index + 1)}; }

} // namespace

struct Host::Guest {
  std::vector<std::unique_ptr<GuestVcpu>> vcpus;
  std::vector<std::unique_ptr<Program>> programs;
  std::size_t first_task = 0;              // index of its first program's task; the others follow
  std::unique_ptr<NestedScheduler> nested; // if it has one
};

Host::Host(Scenario const& scenario, policies::Choice const& policy, std::uint64_t seed, Timeline* timeline)
    : scenario_(scenario), guests_wait_(policy.policy->guests_poll ? Wait::spin : Wait::hybrid),
      cpus_(make_scheduler(clock_, scenario.cpus, timeline)),
      schedule_view_(clock_, *cpus_, scenario.schedule) {
  if (scenario.dom0) build_dom0(timeline);
  for (Engine::Options const& engine : scenario.accelerators) {
    std::size_t const number = accelerators_.size();
    accelerators_.push_back(std::make_unique<Accelerator>(Accelerator::Setup{
        .clock = clock_,
        .costs = scenario.costs,
        .engine = engine,
        .dispatcher = {.policy = policy.policy,
                       .tunables = policy.tunables,
                       .runaway = scenario.runaway,
                       .switch_cost = engine.told_switch_cost.value_or(engine.switch_cost),
                       .cpu_schedule = &schedule_view_,
                       .reservations = scenario.reservations},
        .worker_cpu = [this] { return worker_cpu(); },
        .boost = [this](scheduler::Caller const& caller) { boost(caller); },
        .given_up =
            [this](TaskId task) {
              std::size_t const index = static_cast<std::size_t>(task) - 1;
              killers_[index]->after(scenario_.costs.killing);
            },
        .executed =
            [timeline, number](DomainId domain, Time from, Time to) {
              if (timeline != nullptr) timeline->kernel_ran(number, index_of(domain), from, to);
            },
        .copied =
            [timeline, number](DomainId domain, std::size_t copy_engine, Time from, Time to) {
              if (timeline != nullptr) timeline->copied(number, copy_engine, index_of(domain), from, to);
            }}));
  }
  placement_ = std::make_unique<Placement>(clock_, scenario, accelerators_);
  for (std::size_t index = 0; index < scenario.domains.size(); ++index)
    build_guest(index, seed);
}

Host::~Host() = default;

void Host::build_dom0(Timeline* timeline) {
  Dom0Settings settings = *scenario_.dom0;
  settings.cpu.domain = static_cast<std::uint32_t>(scenario_.domains.size());
  if (settings.own_pcpus > 0)
    dom0_cpus_ = std::make_unique<OwnPool>(clock_, scenario_.cpus, settings.own_pcpus, timeline);
  CpuScheduler& scheduler = dom0_cpus_ == nullptr ? *cpus_ : dom0_cpus_->scheduler();
  dom0_ = std::make_unique<Dom0>(clock_, scheduler, settings);
}

std::unique_ptr<WorkerCpu> Host::worker_cpu() {
  if (dom0_ != nullptr) return dom0_->worker_cpu();
  return std::make_unique<AlwaysOnCpu>(clock_, scenario_.costs.spin);
}

void Host::build_guest(std::size_t index, std::uint64_t seed) {
  DomainScenario const& domain = scenario_.domains[index];
  Guest& guest = *guests_.emplace_back(std::make_unique<Guest>());
  guest.first_task = programs_.size();
  VcpuSettings cpu = domain.cpu;
  cpu.domain = static_cast<std::uint32_t>(index);
  std::vector<CpuScheduler::VcpuId> vcpus;
  for (std::uint32_t vcpu = 0; vcpu < domain.vcpus; ++vcpu)
    vcpus.push_back(
        guest.vcpus.emplace_back(std::make_unique<GuestVcpu>(clock_, *cpus_, cpu, GuestVcpu::Options{}))
            ->id());
  schedule_view_.add(domain.cpu.weight, vcpus);
  for (ProgramSettings const& program : domain.programs) {
    std::size_t const task_index = programs_.size();
    TaskId const task = task_id(task_index);
    auto const vcpu = static_cast<std::uint32_t>(guest.programs.size() % domain.vcpus);
    guest.programs.push_back(std::make_unique<Program>(
        Program::Setup{.clock = clock_,
                       .costs = scenario_.costs,
                       .vcpu = *guest.vcpus[vcpu],
                       .vcpu_number = vcpu,
                       .seed = seed * 1'000'003 + task_index,
                       .usual_wait = guests_wait_,
                       .connect = [this, task, index](Worker::Client& client) -> Worker& {
                         return placement_->arrive(index).attach(
                             task, domain_id(index), scenario_.domains[index].accelerator.memory, client);
                       },
                       .ended =
                           [this, task, index] {
                             placement_->of(index).detach(task);
                             placement_->depart(index);
                           }},
        program));
    Program* const added = guest.programs.back().get();
    programs_.push_back(added);
    killers_.push_back(std::make_unique<Timer>(clock_, [added] { added->kill(); }));
  }
  if (domain.nested) build_nested(index);
}

// The guest's numbers of its tasks are those of its programs.
void Host::build_nested(std::size_t index) {
  Guest& guest = *guests_[index];
  guest.nested = std::make_unique<NestedScheduler>(
      NestedScheduler::Setup{.clock = clock_,
                             .read = [this, index] { return task_uses(index); },
                             .stop = [&guest](std::uint32_t task) { guest.programs[task]->stop(); },
                             .go_on = [&guest](std::uint32_t task) { guest.programs[task]->go_on(); }},
      *scenario_.domains[index].nested);
}

// What pegasusd's totals page shows the guest.
std::vector<nested::TaskUse> Host::task_uses(std::size_t index) {
  DomainScenario const& domain = scenario_.domains[index];
  scheduler::Dispatcher& dispatcher = placement_->of(index).dispatcher();
  std::vector<nested::TaskUse> uses;
  for (std::size_t n = 0; n < domain.programs.size(); ++n) {
    TaskId const task = task_id(guests_[index]->first_task + n);
    if (!dispatcher.domain_of(task)) continue; // it has not begun, or has ended
    monitor::TaskUsage const usage = dispatcher.task_usage(task, clock_.now());
    uses.push_back({.task = static_cast<std::uint32_t>(n),
                    .weight = domain.programs[n].weight,
                    .device_time = usage.device_busy,
                    .calling = usage.waiting});
  }
  return uses;
}

// As CpuScheduleSampler::gate_opened().
void Host::boost(scheduler::Caller const& caller) {
  if (!schedule_view_.boosts()) return;
  std::size_t const index = index_of(caller.domain);
  auto const& vcpus = guests_[index]->vcpus;
  if (caller.vcpu >= vcpus.size()) return;
  CpuScheduler::VcpuId const vcpu = vcpus[caller.vcpu]->id();
  VcpuState const state = cpus_->state(vcpu);
  bool const waits = state.runnable && !state.running;
  if (waits && boosts_.take(static_cast<std::uint32_t>(index), caller.vcpu, clock_.now())) cpus_->boost(vcpu);
}

Outcome Host::run() {
  clock_.run_until(Time{} + scenario_.warm_up);
  Outcome const before = totals();
  clock_.run_until(Time{} + scenario_.warm_up + scenario_.duration);
  Outcome outcome = totals();
  cpus_->stop_all();
  if (dom0_cpus_ != nullptr) dom0_cpus_->scheduler().stop_all();
  if (outcome.dom0_cpu) *outcome.dom0_cpu -= *before.dom0_cpu;
  for (auto const& accelerator : accelerators_)
    accelerator->stop();
  outcome.warm_up = scenario_.warm_up;
  outcome.duration = scenario_.duration;
  for (std::size_t i = 0; i < outcome.domains.size(); ++i) {
    DomainOutcome& domain = outcome.domains[i];
    domain.device -= before.domains[i].device;
    domain.cpu -= before.domains[i].cpu;
    for (std::size_t p = 0; p < domain.programs.size(); ++p) {
      domain.programs[p].rounds -= before.domains[i].programs[p].rounds;
      domain.programs[p].kernels -= before.domains[i].programs[p].kernels;
    }
  }
  for (std::size_t i = 0; i < outcome.accelerators.size(); ++i) {
    outcome.accelerators[i].busy -= before.accelerators[i].busy;
    outcome.accelerators[i].copying -= before.accelerators[i].copying;
    outcome.accelerators[i].switching -= before.accelerators[i].switching;
    outcome.accelerators[i].switches -= before.accelerators[i].switches;
    outcome.accelerators[i].points -= before.accelerators[i].points;
    Memory::Totals& memory = outcome.accelerators[i].memory;
    memory.turns -= before.accelerators[i].memory.turns;
    memory.copies.in -= before.accelerators[i].memory.copies.in;
    memory.copies.out -= before.accelerators[i].memory.copies.out;
  }
  return outcome;
}

Outcome Host::totals() const {
  Outcome outcome;
  outcome.events = clock_.fired();
  if (dom0_ != nullptr) outcome.dom0_cpu = dom0_->cpu_time();
  std::vector<std::map<DomainId, Nanos>> executed;
  for (auto const& accelerator : accelerators_) {
    executed.push_back(accelerator->executed());
    outcome.accelerators.push_back(
        {.busy = accelerator->engine().busy(),
         .copying = accelerator->copy_engines().busy(),
         .copy_engines = static_cast<unsigned>(accelerator->copy_engines().count()),
         .switching = accelerator->engine().switching(),
         .switches = accelerator->engine().switches(),
         .points = accelerator->points(),
         .idle_with_calls = accelerator->idle_watch().longest(),
         .memory = accelerator->memory().totals()});
  }
  for (std::size_t index = 0; index < guests_.size(); ++index) {
    DomainScenario const& settings = scenario_.domains[index];
    Guest const& guest = *guests_[index];
    DomainOutcome& domain = outcome.domains.emplace_back();
    domain.name = settings.name;
    domain.credits = settings.accelerator.credits;
    domain.accelerator = placement_->number_of(index);
    for (auto& on_one : executed)
      if (auto const found = on_one.find(domain_id(index)); found != on_one.end())
        domain.device += found->second;
    for (auto const& vcpu : guest.vcpus)
      domain.cpu += cpus_->cpu_time(vcpu->id());
    domain.barred = std::ranges::any_of(accelerators_, [index](auto const& each) {
      return each->dispatcher().conduct(domain_id(index)).barred_until > Time{};
    });
    WaitTimes waits;
    for (std::size_t p = 0; p < guest.programs.size(); ++p) {
      Program const& program = *guest.programs[p];
      ProgramOutcome& shown = domain.programs.emplace_back();
      shown = {.name = settings.programs[p].name,
               .rounds = program.rounds(),
               .kernels = program.kernels(),
               .began = since_begin(program.began_at()),
               .ended = since_begin(program.ended_at()),
               .killed = program.killed()};
      waits.add(program.waits());
    }
    domain.wait_p50_us = waits.histogram().p50_us();
    domain.wait_p99_us = waits.histogram().p99_us();
    domain.wait_p999_us = waits.histogram().percentile_us(0.999);
    domain.wait_mean_us = waits.mean_us();
    domain.wait_deviation_us = waits.deviation_us();
  }
  return outcome;
}

} // namespace pegasus::sim
