// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a scheduling decision, with 4 to 10,000 domains that all want the accelerator:
// each policy's decide() alone, given what changed, and the whole scheduling point around it (readings,
// View, decision, gates).
#include "domA/scheduler/dispatcher.h"
#include "policies/registry.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace pegasus;
using namespace std::chrono_literals;
using policies::Nanos;
using policies::Time;
using Clock = std::chrono::steady_clock;

constexpr char help[] = "usage: decide\n\nPrints what a scheduling decision costs, in nanoseconds.\n";
constexpr std::size_t sizes[] = {4, 64, 1'000, 10'000};
constexpr std::size_t warm_up = 20, min_samples = 50, max_samples = 2'000;
constexpr auto long_enough = 500ms; // for one figure

struct Figures {
  double median;
  double p99;
};

Figures figures(std::vector<Nanos>& taken) {
  std::ranges::sort(taken);
  auto const at = [&](double part) {
    return static_cast<double>(
        taken[static_cast<std::size_t>(part * static_cast<double>(taken.size() - 1))].count());
  };
  return {at(0.5), at(0.99)};
}

template <class Work> Figures measure(Work work) {
  std::vector<Nanos> taken;
  for (std::size_t i = 0; i < warm_up; ++i)
    (void)work();
  auto const end = Clock::now() + long_enough;
  while (taken.size() < min_samples || (taken.size() < max_samples && Clock::now() < end))
    taken.push_back(work());
  return figures(taken);
}

// Any generator would do.
class Random {
public:
  // On one call in eight, a number below `count`.
  std::optional<std::uint32_t> now_and_then(std::size_t count) {
    state_ = state_ * 1664525 + 1013904223;
    if (state_ >> 29 != 0) return std::nullopt;
    return (state_ >> 8) % static_cast<std::uint32_t>(count);
  }

private:
  std::uint32_t state_ = 1;
};

// The running domain uses its whole time slice. Now and then another domain pauses or resumes.
Figures decide_alone(policies::Entry const& entry, std::size_t count) {
  std::vector<policies::DomainView> domains(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    domains[i].id = i + 1;
    domains[i].credits = 256u << (i % 3);
    domains[i].tasks = domains[i].calls_waiting = 1;
    domains[i].context_established = true;
    domains[i].cpu.running = i < 4;
    domains[i].cpu.credit_left = 10ms;
  }
  auto const policy = entry.make({});
  Time now{1s};
  policies::Decision last = policy->decide({.now = now, .run_since = now, .domains = domains});
  std::vector<std::uint32_t> changed;
  Random random;
  return measure([&] {
    Time const then = std::min(last.until, last.ask_again);
    changed.clear();
    if (last.run.size() == 1) {
      changed.push_back(last.run.front() - 1);
      domains[changed.front()].device_busy_total += then - now;
    }
    now = then;
    if (auto const other = random.now_and_then(count);
        other && (changed.empty() || changed.front() != *other)) {
      domains[*other].calls_waiting ^= 1;
      changed.push_back(*other);
      std::ranges::sort(changed);
    }
    policies::View const view{.now = now, .run_since = {}, .domains = domains, .changed = changed};
    auto const began = Clock::now();
    last = policy->decide(view);
    return Clock::now() - began;
  });
}

struct Pages {
  gate::GatePage gate{};
  gate::UsagePage usage{};
};

// Each domain has one task. A running task has the device until it is told to stop, and stops at once. Now
// and then another one pauses or resumes.
Figures whole_point(policies::Entry const& entry, std::size_t count) {
  scheduler::Dispatcher dispatcher({.policy = &entry, .tunables = {}, .runaway = 10s});
  std::vector<Pages> pages(count);
  Time now{1s};
  for (std::uint32_t i = 0; i < count; ++i) {
    pages[i].usage.activity = gate::Activity::waiting;
    dispatcher.set_domain(i + 1, {.credits = 256u << (i % 3)});
    dispatcher.attach(i + 1, i + 1, pages[i].gate, pages[i].usage, now);
  }
  scheduler::Actions actions = dispatcher.point(now);
  Random random;
  return measure([&] {
    now = actions.next;
    for (Pages& each : pages)
      each.usage.obeyed.store(each.gate.word.load());
    if (auto const other = random.now_and_then(count)) {
      std::atomic<gate::Activity>& activity = pages[*other].usage.activity;
      activity = activity == gate::Activity::idle ? gate::Activity::waiting : gate::Activity::idle;
      dispatcher.kicked(*other + 1);
    }
    auto const began = Clock::now();
    actions = dispatcher.point(now);
    return Clock::now() - began;
  });
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::fputs(help, stdout);
    return 0;
  }
  std::printf("| policy | domains | decide(), median | 99 %% | scheduling point, median | 99 %% |\n"
              "|---|---|---|---|---|---|\n");
  for (policies::Entry const& entry : policies::registry())
    for (std::size_t const count : sizes) {
      Figures const alone = decide_alone(entry, count);
      Figures const whole = whole_point(entry, count);
      std::printf("| %s | %zu | %.0f ns | %.0f ns | %.0f ns | %.0f ns |\n", std::string(entry.name).c_str(),
                  count, alone.median, alone.p99, whole.median, whole.p99);
      std::fflush(stdout);
    }
}
