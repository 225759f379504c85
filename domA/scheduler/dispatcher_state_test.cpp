// SPDX-License-Identifier: Apache-2.0
// A dispatcher that is saved, ends, and is made anew from the bytes before each of its scheduling points does and keeps what
// one does that was never saved.
#include "domA/scheduler/testing/setting.h"
#include "domA/scheduler/testing/turmoil.h"
#include "domA/state/state.pb.h"
#include "domA/state/version.h"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using namespace std::chrono_literals;

namespace {

// The first difference, for a reader.
std::string difference(std::string const& a, std::string const& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at])
    ++at;
  std::size_t const from = at < 60 ? 0 : at - 60;
  return "..." + a.substr(from, 120) + "\n instead of ..." + b.substr(from, 120);
}

// Returns what differs; empty: nothing.
std::string fate(std::vector<std::string_view> const& policies, std::uint64_t seed) {
  Turmoil restarted(policies, seed);
  Turmoil twin(policies, seed);
  restarted.device().restart_at_each_point();
  std::uint64_t const steps = setting("PEGASUS_STEPS", 300);
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::string const name = "step " + std::to_string(step) + ": ";
    try {
      restarted.step();
    } catch (std::logic_error const& error) {
      return name + error.what();
    }
    twin.step();
    std::string const told = restarted.device().take_told(), expected = twin.device().take_told();
    if (told != expected) return name + difference(told, expected);
    if (restarted.device().saved() != twin.device().saved()) return name + "the states differ";
  }
  return "";
}

} // namespace

TEST_CASE("a dispatcher that is made anew from its saved state goes on as if nothing had happened") {
  std::vector<std::string_view> all;
  for (policies::Entry const& entry : policies::registry())
    all.push_back(entry.name);
  std::uint64_t const seeds = setting("PEGASUS_SEEDS", 2);
  for (std::string_view const policy : all)
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
      // One policy throughout, or all of them in turn.
      if (auto const what = fate(seed % 4 == 3 ? all : std::vector{policy}, seed); !what.empty())
        FAIL(policy << ", seed " << seed << ", " << what);
  SUCCEED();
}

TEST_CASE("a state of another version, clock or policy is refused, and one of tasks without pages") {
  Turmoil turmoil({"rr"}, 1);
  VirtualDevice& device = turmoil.device();
  auto const refused = [&device](auto change) { return device.restart(change); };
  CHECK(refused([](state::Dispatcher& state) { state.set_version(state::version + 1); }) ==
        "the scheduler's state is of version 2, and this pegasusd reads version 1");
  CHECK(refused([](state::Dispatcher& state) { state.set_clock_at_zero_ns(1); }) ==
        "the scheduler's state is of another clock");
  CHECK(refused([](state::Dispatcher& state) { state.mutable_policy()->set_name("x"); }) ==
        "the scheduler's state is of policy \"x\", which this pegasusd does not have");
  CHECK(refused([](state::Dispatcher& state) { state.mutable_tasks(0)->set_id(99); }) ==
        "the scheduler's state is refused: task 99 has no pages");
  CHECK(refused([](state::Dispatcher& state) { state.mutable_tasks(0)->set_domain(99); }) ==
        "the scheduler's state is refused: task 1 has no domain");
  CHECK(refused([](state::Dispatcher&) {}).empty());
}
