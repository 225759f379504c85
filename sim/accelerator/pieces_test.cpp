// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/brief_scenarios.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

TEST_CASE("kernels are divided into pieces, each of which costs time") {
  std::string const batch = domain("a", "", "steps = [\"launch 10ms 4\", \"sync\"]");
  auto const kernels_per_second = [&](std::string const& accelerator) {
    Scenario const scenario =
        scenario_in("duration = \"10s\"\n[[accelerator]]\n" + accelerator + "\n" + batch);
    return values_of(Measure::kernels, runs_of(scenario, {"eevdf"}).front()).front();
  };
  CHECK(kernels_per_second("piece_cost = \"1ms\"") == Approx(100).margin(0.5));
  CHECK(kernels_per_second("piece = \"20ms\"\npiece_cost = \"1ms\"") == Approx(100).margin(0.5));
  CHECK(kernels_per_second("piece = \"1ms\"\npiece_cost = \"1ms\"") == Approx(50).margin(0.5));
  // None is much shorter than the others: three pieces, not two and a short one.
  CHECK(kernels_per_second("piece = \"4ms\"\npiece_cost = \"5ms\"") == Approx(40).margin(0.5));
}

TEST_CASE("a domain interrupts another one's kernel between two pieces") {
  auto const wait = [](std::string const& piece) {
    Scenario const scenario =
        scenario_in("duration = \"10s\"\n[[accelerator]]\npiece = \"" + piece + "\"\n" +
                    domain("a", "latency = \"200us\"", "steps = [\"sleep 9ms\", \"call 1ms\"]") +
                    domain("b", "", "steps = [\"launch 50ms 4\", \"sync\"]"));
    return values_of(Measure::p99, runs_of(scenario, {"eevdf hold=auto look_ahead=0"}).front()).front();
  };
  CHECK(wait("0ms") > 40);
  CHECK(wait("2ms") < 4);
}
