// SPDX-License-Identifier: Apache-2.0
// Properties that always hold: random tasks, kernels, deaths, drains and policies on a virtual device. A
// sequence that breaks a property is shortened as far as possible and printed.
#include "domA/scheduler/testing/virtual_device.h"
#include "policies/accc.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <sstream>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using namespace std::chrono_literals;

namespace {

constexpr Nanos tick = 10ms;
constexpr Nanos runaway = 200ms;
constexpr std::uint32_t domains = 4;
// Its programs launch short kernels and die only when told to; the other domains do anything.
constexpr DomainId honest = 1;
constexpr std::size_t honest_tasks = 2;

struct Step {
  enum Kind : std::uint32_t { launch, attach, die, use, change, wait, kinds };
  Kind kind;
  std::uint32_t which; // index of a task, policy or domain, modulo their number
  Nanos time;          // the kernel's length, or how long to wait
};

std::ostream& operator<<(std::ostream& out, Step const& step) {
  constexpr char const* names[] = {"launch", "attach", "die", "use", "change", "wait"};
  return out << names[step.kind] << ' ' << step.which << ' ' << step.time.count() << "ns; ";
}

std::vector<Step> random_steps(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  auto const below = [&](std::uint64_t bound) { return engine() % bound; };
  std::vector<Step> steps;
  for (int i = 0; i < 400; ++i) {
    std::uint64_t const choice = below(100);
    Step::Kind const kind = choice < 40   ? Step::launch
                            : choice < 80 ? Step::wait
                            : choice < 90 ? Step::attach
                            : choice < 96 ? Step::die
                            : choice < 98 ? Step::change
                                          : Step::use;
    Nanos time{static_cast<std::int64_t>(below(below(2) == 0 ? 2'000'000 : 30'000'000))};
    if (kind == Step::launch && below(30) == 0) time = 1h; // does not end
    if (kind == Step::wait && below(20) == 0) time *= 20;
    steps.push_back({kind, static_cast<std::uint32_t>(engine()), std::max(time, Nanos{1})});
  }
  return steps;
}

class World {
public:
  World(policies::Entry const& policy, VirtualDevice::Busy busy)
      : device_({.policy = &policy, .tunables = {.tick = tick}, .runaway = runaway}, busy), policy_(&policy) {
    for (DomainId id = 1; id <= domains; ++id)
      device_.set_domain(id, {});
    for (std::size_t i = 0; i < honest_tasks; ++i)
      device_.attach(honest);
  }

  // Returns the broken property, or nullptr if none is broken.
  char const* take(Step const& step) {
    std::vector<TaskId> const tasks = device_.tasks();
    TaskId const task = tasks[step.which % tasks.size()];
    DomainId const domain = 1 + step.which % domains;
    bool const is_honest = device_.domain_of(task) == honest;
    switch (step.kind) {
    case Step::launch:
      if (device_.calls(task) < 20)
        device_.launch(task, is_honest ? std::min(step.time, Nanos{1ms}) : step.time);
      break;
    case Step::attach:
      if (domain != honest && tasks.size() < 12) device_.attach(domain);
      break;
    case Step::die:
      if (!is_honest) device_.die(task);
      break;
    case Step::use:
      policy_ = &policies::registry()[step.which % policies::registry().size()];
      device_.use({policy_, {.tick = tick}});
      switched_ = device_.now();
      break;
    case Step::change:
      device_.set_domain(domain, {.credits = 64 + step.which % 1024,
                                  .latency_slice = step.which % 2 == 0 ? step.time : Nanos{0}});
      break;
    default:
      return wait(step.time);
    }
    return broken();
  }

private:
  // Waits in short steps to miss nothing in between.
  char const* wait(Nanos time) {
    for (Time const end = device_.now() + time; device_.now() < end;) {
      device_.run(std::min<Nanos>(end - device_.now(), 2ms));
      if (char const* const what = broken()) return what;
    }
    return nullptr;
  }

  char const* broken() {
    device_.dispatcher().bring_up_to_date(device_.now());
    for (DomainId id = 1; id <= domains; ++id)
      if (device_.dispatcher().usage_since_reset(id).device_busy != device_.executed(id))
        return "each domain is charged what the device did for it, no more and no less";
    if (policy_->exclusive && open_gates() > 1) return "one task at a time";
    if (device_.dispatcher().conduct(honest).killed > 0)
      return "only a domain that kept others waiting is killed";
    if (device_.dispatcher().conduct(honest).barred_until > Time{})
      return "only a domain that kept others waiting backs off";
    // A scheduling point is not closer to the last than 50 us.
    Nanos const patience = policy_->work_conserving ? 100us : tick;
    for (Time const end = device_.now() + patience; keeps_none_waiting() && idle_in_vain();
         device_.run(100us))
      if (device_.now() >= end) return "no domain waits for a dead task, or for none";
    return starved() ? "no domain is starved" : nullptr;
  }

  [[nodiscard]] std::ptrdiff_t open_gates() {
    return std::ranges::count_if(device_.tasks(),
                                 [this](TaskId task) { return device_.dispatcher().gate_open(task); });
  }

  // One that keeps no accounts and is not work conserving may let a domain without calls have the device.
  [[nodiscard]] bool keeps_none_waiting() const { return policy_->work_conserving || policy_->accounts; }

  [[nodiscard]] bool idle_in_vain() {
    if (!device_.engine_free()) return false;
    return std::ranges::any_of(device_.tasks(), [this](TaskId task) {
      bool const barred =
          device_.dispatcher().conduct(device_.domain_of(task)).barred_until > device_.now() &&
          (policy_->exclusive || policy_->accounts);
      return device_.calls(task) > 0 && !barred;
    });
  }

  // True if the honest domain has calls and was not served for the time slices of all others and a
  // runaway of each.
  [[nodiscard]] bool starved() {
    bool waits = false;
    for (TaskId const task : device_.tasks())
      waits = waits || (device_.domain_of(task) == honest && device_.calls(task) > 0);
    if (!waits || device_.executed(honest) > served_) {
      served_ = device_.executed(honest);
      served_at_ = device_.now();
    }
    if (!policy_->exclusive || !policy_->accounts || !policy_->wait_ticks) served_at_ = device_.now();
    Nanos const slices = (policies::max_slice_ticks + policy_->wait_ticks.value_or(0)) * tick;
    return device_.now() - std::max(served_at_, switched_) > domains * (slices + 3 * runaway);
  }

  VirtualDevice device_;
  policies::Entry const* policy_;
  Time switched_{};
  Nanos served_{0};
  Time served_at_{};
};

// Other seeds, and more than a test run has time for: ci/soak.
std::uint64_t setting(char const* variable, std::uint64_t usual) {
  char const* const wanted = std::getenv(variable);
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

struct Story {
  policies::Entry const& policy;
  VirtualDevice::Busy busy;
};

char const* fate_of(Story const& story, std::vector<Step> const& steps) {
  World world(story.policy, story.busy);
  for (Step const& step : steps)
    if (char const* const what = world.take(step)) return what;
  return nullptr;
}

// Leaves out steps that are not needed to break the same property: halves, quarters, ... single steps.
std::vector<Step> shortened(Story const& story, std::vector<Step> steps, char const* broken) {
  for (std::size_t part = steps.size() / 2; part > 0; part /= 2)
    for (std::size_t from = 0; from + part <= steps.size();) {
      std::vector<Step> fewer = steps;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(from),
                  fewer.begin() + static_cast<std::ptrdiff_t>(from + part));
      if (fate_of(story, fewer) == broken)
        steps = std::move(fewer);
      else
        from += part;
    }
  return steps;
}

} // namespace

TEST_CASE("whatever happens: charged exactly, none starved, none waits for a dead task") {
  std::uint64_t const first = setting("PEGASUS_FIRST_SEED", 0);
  std::uint64_t const end = first + setting("PEGASUS_SEEDS", 40);
  for (policies::Entry const& policy : policies::registry())
    for (std::uint64_t seed = first; seed < end; ++seed) {
      std::vector<Step> const steps = random_steps(seed);
      Story const story{policy,
                        seed % 2 == 0 ? VirtualDevice::Busy::looks_at_gate : VirtualDevice::Busy::queues};
      char const* const broken = fate_of(story, steps);
      if (broken == nullptr) continue;
      std::ostringstream told;
      for (Step const& step : shortened(story, steps, broken))
        told << step;
      FAIL(policy.name << ", seed " << seed << ": " << broken << "; broken by: " << told.str());
    }
  SUCCEED();
}
