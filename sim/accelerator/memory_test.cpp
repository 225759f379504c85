// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/memory.h"

#include "sim/report/metrics.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;
namespace residency = pegasus::residency;

namespace {

// Two domains that always have kernels of 1 ms, on an accelerator with 3 GiB.
std::string two_domains(std::string const& memory, std::string const& accelerator) {
  return "duration = \"2s\"\nwarm_up = \"0s\"\ntick = \"100ms\"\n[[accelerator]]\nmemory = \"3G\"\ngranule = "
         "\"1G\"\n" +
         accelerator + "\n[[domain]]\ncopies = 2\nmemory = \"" + memory +
         "\"\n[[domain.program]]\nsteps = [\"launch 1ms 16\", \"sync\"]\n";
}

Run run_of(std::string const& text, std::string const& policy) {
  auto const scenarios = parse_scenarios(text, "test", {});
  INFO((scenarios ? "" : scenarios.error()));
  REQUIRE(scenarios);
  auto const runs = run_policies(scenarios->front(), {policy}, 1);
  REQUIRE(runs);
  return runs->front();
}

} // namespace

TEST_CASE("memory that fits is copied in once, and what is shared at each turn") {
  Memory::Totals const fits =
      run_of(two_domains("1G", ""), "rr residency=size").outcome.accelerators[0].memory;
  CHECK(fits.copies == residency::Copies{.in = 2, .out = 0});
  Memory::Totals const shares =
      run_of(two_domains("2G", ""), "rr residency=size").outcome.accelerators[0].memory;
  CHECK(shares.turns >= 19);
  // Two granules in each of the first two turns, one of them another's; then one.
  CHECK(shares.copies.in == 2 + shares.turns);
  CHECK(shares.copies.out == shares.turns - 1);
}

TEST_CASE("copies take the time that the bandwidth leaves, before the kernels") {
  auto const run = run_of(two_domains("2G", "bandwidth = \"100G\""), "rr residency=size");
  Nanos const copying = run.outcome.accelerators[0].switching;
  Memory::Totals const& memory = run.outcome.accelerators[0].memory;
  CHECK(std::chrono::duration<double>(copying).count() ==
        Approx(static_cast<double>(memory.copies.in + memory.copies.out) / 100).epsilon(0.01));
  CHECK(run_of(two_domains("2G", ""), "rr residency=size").outcome.accelerators[0].switching == 0ns);
}

TEST_CASE("under static a domain that does not fit loses its program") {
  auto const run = run_of(two_domains("2G", ""), "rr residency=static");
  CHECK_FALSE(run.outcome.domains[0].programs[0].killed);
  CHECK(run.outcome.domains[1].programs[0].killed);
  CHECK(run.outcome.domains[1].programs[0].kernels < 5);
}

TEST_CASE("the memory of a domain without kernels leaves after 20 s, and comes back for the next one") {
  std::string const text =
      "duration = \"50s\"\nwarm_up = \"0s\"\n[[accelerator]]\nmemory = \"3G\"\ngranule = \"1G\"\n"
      "[[domain]]\nmemory = \"2G\"\n[[domain.program]]\nsteps = [\"call 10ms\", \"sleep 10ms\"]\n"
      "[[domain]]\nmemory = \"2G\"\n[[domain.program]]\nsteps = [\"call 1ms\", \"sleep 40s\"]\n";
  Run const run = run_of(text, "rr residency=size");
  // 1 has its two granules, 2 two, of which one is 1's. 1 gets it back, and is moved when 2 is idle, or comes.
  residency::Copies const copies = run.outcome.accelerators[0].memory.copies;
  CHECK(copies.in > 5);
  CHECK(copies.in < 12);
}

TEST_CASE("what does not fit together is refused, with the names that there are") {
  auto const scenarios = parse_scenarios(two_domains("2G", ""), "test", {});
  REQUIRE(scenarios);
  auto const unknown = run_policies(scenarios->front(), {"rr residency=best"}, 1);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error() ==
        "there is no residency policy \"best\"; there are: static, first-fit, least-crowded, "
        "size, utilization, cost");
  auto const without = parse_scenarios("[[domain]]\n", "test", {});
  REQUIRE(without);
  auto const refused = run_policies(without->front(), {"rr residency=cost"}, 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == "residency=cost needs an accelerator with memory, as in memory = \"8G\"");
  CHECK_FALSE(parse_scenarios("[[accelerator]]\ngranule = \"1M\"\n[[domain]]\n", "test", {}));
  CHECK_FALSE(parse_scenarios("[[accelerator]]\nmemory = \"much\"\n[[domain]]\n", "test", {}));
}
