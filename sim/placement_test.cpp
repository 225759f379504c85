// SPDX-License-Identifier: Apache-2.0
#include "sim/placement.h"

#include "sim/report/print.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::sim;

namespace {

Scenario two_accelerators(std::string const& domains) {
  auto const scenarios = parse_scenarios(
      "warm_up = \"0\"\nduration = \"12s\"\n[cpus]\ncount = 8\n[[accelerator]]\n[[accelerator]]\n" + domains,
      "test");
  INFO((scenarios ? "" : scenarios.error()));
  REQUIRE(scenarios);
  return scenarios->front();
}

Outcome outcome_of(std::string const& domains) {
  auto const runs = run_policies(two_accelerators(domains), {"accc"}, 1);
  REQUIRE(runs);
  return runs->front().outcome;
}

std::vector<std::size_t> accelerators_of(std::string const& domains) {
  std::vector<std::size_t> found;
  for (DomainOutcome const& domain : outcome_of(domains).domains)
    found.push_back(domain.accelerator);
  return found;
}

// `when` it comes and goes: keys of its program.
std::string caller(std::string const& settings, std::string const& when = "") {
  return "[[domain]]\n" + settings + "\n[[domain.program]]\nsteps = [\"call 1ms\"]\n" + when + "\n";
}

using Places = std::vector<std::size_t>;

} // namespace

TEST_CASE("equal domains fill the accelerators in turn") {
  CHECK(accelerators_of(caller("copies = 5")) == Places{0, 1, 0, 1, 0});
}

TEST_CASE("a domain goes where its credits are worth most") {
  CHECK(accelerators_of(caller("credits = 768") + caller("credits = 256\ncopies = 3")) == Places{0, 1, 1, 1});
}

TEST_CASE("a domain whose accelerator the scenario names is there, and counts") {
  CHECK(accelerators_of(caller("accelerator = 1\ncopies = 2") + caller("copies = 2")) == Places{1, 1, 0, 0});
}

TEST_CASE("SLOs that one accelerator could not keep go to several") {
  CHECK(accelerators_of(caller("slo = 0.6\ncredits = 256") + caller("credits = 768") +
                        caller("slo = 0.6\ncredits = 256")) == Places{0, 1, 1});
}

TEST_CASE("a domain that only holds its place hardly counts after a while") {
  std::string const idle =
      "[[domain]]\ncredits = 400\n[[domain.program]]\nsteps = [\"call 1us\", \"sleep 1s\"]\n";
  CHECK(accelerators_of(idle + caller("credits = 256") + caller("credits = 256")) == Places{0, 1, 1});
  CHECK(accelerators_of(idle + caller("credits = 256") + caller("credits = 256", "start = \"11s\"")) ==
        Places{0, 1, 0});
}

TEST_CASE("a domain that has left makes room, and is placed again when it comes back") {
  // a leaves 0 after 100 ms, and d comes there; c is on 1 until 2 s; when a comes again, 1 is free.
  std::string const domains =
      caller("name = \"a\"", "rounds = 50\n[[domain.program]]\nsteps = [\"call 1ms\"]\nstart = \"2500ms\"") +
      caller("name = \"c\"", "rounds = 1900") + caller("name = \"d\"", "start = \"500ms\"");
  Outcome const outcome = outcome_of(domains);
  CHECK(outcome.domains[0].accelerator == 1);
  CHECK(outcome.domains[1].accelerator == 1);
  CHECK(outcome.domains[2].accelerator == 0);
  using Seconds = std::chrono::duration<double>;
  CHECK(Seconds(outcome.domains[0].device).count() == Approx(0.05 + 9.4).margin(0.1)); // of both accelerators
  CHECK(Seconds(outcome.accelerators[1].busy).count() == Approx(1.9 + 9.4).margin(0.1));
}

TEST_CASE("times of arrival are spread, the same for the same seed") {
  std::string const domains =
      "[[domain]]\ncopies = 50\n[[domain.program]]\nsteps = [\"call 1us\", \"sleep 1s\"]\n"
      "start = \"1s\"\nspread = 1\n";
  auto const arrivals = [&] {
    std::vector<Nanos> found;
    for (DomainOutcome const& domain : outcome_of(domains).domains)
      found.push_back(domain.programs[0].began.value());
    return found;
  };
  std::vector<Nanos> const found = arrivals();
  auto const [first, last] = std::ranges::minmax(found);
  CHECK(first < std::chrono::milliseconds(200));
  CHECK(last > std::chrono::milliseconds(1800));
  CHECK(last < std::chrono::milliseconds(2010));
  CHECK(arrivals() == found);
}
