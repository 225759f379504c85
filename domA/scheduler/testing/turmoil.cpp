// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/testing/turmoil.h"

#include "policies/registry.h"

#include <array>
#include <utility>

namespace pegasus::scheduler::testing {

using namespace std::chrono_literals;

// In a period of 12 ms each vCPU runs for 6 ms, is blocked for 3 ms and waits for a CPU for 3 ms.
policies::CpuState SteadySchedule::read(Caller const& caller, Time now) {
  Nanos const since = now.time_since_epoch() + 2ms * (caller.domain + caller.vcpu);
  Nanos const in_period = since % 12ms;
  policies::CpuState cpu{.running = in_period < 6ms, .credit_left = 30ms - since % 30ms};
  if (cpu.running) cpu.running_since = now - in_period;
  if (!cpu.running && in_period < 9ms) cpu.blocked_since = now - (in_period - 6ms);
  cpu.weight = 128 * (1 + caller.domain);
  return cpu;
}

Turmoil::Turmoil(std::vector<std::string_view> policies, std::uint64_t seed)
    : policies_(std::move(policies)), engine_(seed),
      device_(setup(), seed % 2 == 0 ? VirtualDevice::Busy::looks_at_gate : VirtualDevice::Busy::queues) {
  device_.workers_obey();
  (void)device_.take_told();
  for (DomainId id = 1; id <= domains; ++id) {
    device_.set_domain(id, settings());
    device_.attach(id);
  }
}

Dispatcher::Setup Turmoil::setup() {
  policies::Choice const choice = a_choice();
  // What a worker's thread has used of a CPU and waited for one grows steadily.
  auto const cpu_times = [this](TaskId task) {
    Nanos const passed = device_.now().time_since_epoch();
    return CpuTimes{.used = passed / 2, .waited = passed / (8 + task)};
  };
  return {.policy = choice.policy,
          .tunables = choice.tunables,
          .runaway = 150ms,
          .host_call = 400ms,
          .switch_cost = below(2) == 0 ? Nanos{0} : Nanos{300us},
          .cpu_schedule = &schedule_,
          .cpu_times = cpu_times};
}

policies::Choice Turmoil::a_choice() {
  policies::Tunables tunables{.tick = below(3) == 0 ? Nanos{3ms} : Nanos{10ms}};
  tunables.host_weight = static_cast<double>(below(3));
  if (below(2) == 0) tunables.hold = policies::automatic_hold;
  if (below(4) == 0) tunables.hold = time(10ms);
  if (below(3) == 0) tunables.longest_wait = time(20ms);
  return {policies::find(policies_[below(policies_.size())]), tunables};
}

DomainSettings Turmoil::settings() {
  return {.credits = static_cast<std::uint32_t>(64 + below(1024)),
          .slo = below(3) == 0 ? 0.05 * static_cast<double>(1 + below(8)) : 0,
          .cap = below(4) == 0 ? 0.1 * static_cast<double>(1 + below(8)) : 0,
          .latency_slice = below(3) == 0 ? time(5ms) : Nanos{0},
          .frozen = below(8) == 0};
}

TaskId Turmoil::a_task() {
  std::vector<TaskId> const tasks = device_.tasks();
  return tasks[below(tasks.size())];
}

void Turmoil::step() {
  std::uint64_t const choice = below(100);
  if (device_.tasks().empty() || (choice < 6 && device_.tasks().size() < 12))
    device_.attach(DomainId(static_cast<std::uint32_t>(1 + below(domains))));
  else if (choice < 40)
    launch();
  else if (choice < 70)
    device_.run(time(below(3) == 0 ? Nanos{40ms} : below(10) == 0 ? Nanos{400ms} : Nanos{3ms}));
  else if (choice < 73)
    device_.die(a_task());
  else if (choice < 86)
    report();
  else
    operate();
}

void Turmoil::launch() {
  TaskId const task = a_task();
  if (device_.calls(task) > 8) return;
  Nanos const kernel = below(40) == 0 ? Nanos{1h} : below(2) == 0 ? time(2ms) : time(25ms);
  device_.launch(task, kernel);
}

gate::OrderKind Turmoil::a_kind() {
  using enum gate::OrderKind;
  constexpr std::array kinds{describe, evict, restore};
  return kinds[below(kinds.size())];
}

// What an operator does.
void Turmoil::operate() {
  auto const domain = DomainId(static_cast<std::uint32_t>(1 + below(domains)));
  switch (below(8)) {
  case 0:
    return device_.use(a_choice());
  case 1:
    return device_.dispatcher().reset_statistics(device_.now());
  case 2:
    return device_.dispatcher().bring_up_to_date(device_.now());
  case 3:
    return device_.dispatcher().forget_domain(domain);
  case 4:
  case 5:
    (void)device_.dispatcher().order(a_task(), {a_kind(), below(1000)});
    return;
  default:
    return device_.set_domain(domain, settings());
  }
}

// What a worker says.
void Turmoil::report() {
  TaskId const task = a_task();
  gate::UsagePage& usage = device_.usage(task);
  usage.last_vcpu.store(static_cast<std::uint32_t>(below(3)));
  usage.calls += below(20);
  usage.sync_calls += below(20);
  usage.bytes += below(1'000'000);
  usage.host_busy_ns += below(500'000);
  usage.latency_bucket[below(gate::latency_buckets)] += static_cast<std::uint32_t>(below(5));
  if (below(3) == 0) usage.memory_bytes.store(below(2) * 4096);
  if (below(3) == 0) usage.requests_waiting.store(static_cast<std::uint32_t>(below(9)));
  auto const used = static_cast<std::uint64_t>(device_.now().time_since_epoch().count()) / 2;
  if (below(3) == 0) usage.host_call_began_ns.store(below(2) == 0 ? used : 0);
  device_.dispatcher().kicked(task);
}

} // namespace pegasus::scheduler::testing
