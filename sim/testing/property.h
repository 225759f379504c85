// SPDX-License-Identifier: Apache-2.0
// Checks what must be true of any scenario. Where it is not, the test fails with the smallest scenario that still
// fails, as a file for pegasus-sim.
#pragma once

#include "sim/host.h"
#include "sim/testing/scenario_toml.h"
#include "sim/testing/shrink.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

namespace pegasus::sim::testing {

// `complaint(scenario, policy, seed)`: what is wrong with it; empty: nothing, or it says nothing of such a scenario. The
// policy's tick is the scenario's.
template <class Complaint>
void check_property(Scenario const& scenario, policies::Choice const& policy, std::uint64_t seed,
                    Complaint complaint) {
  auto const complaint_about = [&](Scenario const& of) -> std::string {
    policies::Choice choice = policy;
    choice.tunables.tick = of.tick;
    return complaint(of, choice, seed);
  };
  std::string const found = complaint_about(scenario);
  if (found.empty()) {
    SUCCEED();
    return;
  }
  Scenario const smallest =
      shrink(scenario, [&](Scenario const& of) { return !complaint_about(of).empty(); });
  FAIL_CHECK(fmt::format("{}\nThe smallest scenario that fails: {}\n"
                         "pegasus-sim FILE --policy \"{}\" --seed {}\n\n{}",
                         found, complaint_about(smallest), as_option(policy), seed, as_toml(smallest)));
}

} // namespace pegasus::sim::testing
