// SPDX-License-Identifier: Apache-2.0
// Properties that always hold: random tasks, kernels, deaths, drains and policies on a virtual device. A
// sequence that breaks a property is shortened as far as possible and printed.
#include "domA/scheduler/testing/crowd.h"
#include "domA/scheduler/testing/setting.h"

#include <catch2/catch.hpp>
#include <random>
#include <sstream>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using namespace std::chrono_literals;

namespace {

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

struct Story {
  policies::Entry const& policy;
  VirtualDevice::Busy busy;
};

char const* fate_of(Story const& story, std::vector<Step> const& steps) {
  Crowd crowd(story.policy, story.busy);
  for (Step const& step : steps)
    if (char const* const what = crowd.take(step)) return what;
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
