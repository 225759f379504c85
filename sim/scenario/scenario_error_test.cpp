// SPDX-License-Identifier: Apache-2.0
// What is refused, and what its author is told.
#include "sim/testing/scenario_error.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;

TEST_CASE("an error gives line and column, and what is expected") {
  auto const domain = [](std::string const& lines) { return "[[domain]]\n" + lines + "\n" + one_program; };
  CHECK_THAT(error_of("title = "), Catch::StartsWith("s.toml:1:"));
  CHECK(error_of("") == "s.toml:1:1: a scenario needs at least one [[domain]]");
  CHECK_THAT(error_of("duration = 3\n"), Catch::StartsWith("s.toml:1:12: duration must be a time from 1ms"));
  CHECK_THAT(error_of("duration = \"-1s\"\n"), Catch::Contains("duration must be a time"));
  CHECK_THAT(error_of("pcpus = 3\n" + domain("")),
             Catch::StartsWith("s.toml:1:1: a scenario has no 'pcpus'; it has "));
  CHECK_THAT(error_of("[cpus]\ncount = 0\n"),
             Catch::StartsWith("s.toml:2:9: count must be a whole number from 1"));
  CHECK_THAT(error_of(domain("credits = 0")),
             Catch::StartsWith("s.toml:2:11: credits must be a whole number from 1 to 65535"));
  CHECK_THAT(error_of(domain("weight = 0")), Catch::StartsWith("s.toml:2:10: weight must be"));
  CHECK_THAT(error_of(domain("pin = [1]")),
             Catch::Contains("s.toml:2:8: each entry of pin must be a whole number from 0 to 0"));
  CHECK_THAT(error_of(domain("accelerator = 3")),
             Catch::Contains("s.toml:2:15: this scenario has 1 accelerators"));
  CHECK_THAT(error_of(domain("copies = 1000000")),
             Catch::Contains("copies must be a whole number from 1 to 100000"));
  CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\nname = \"p\"\n"),
             Catch::StartsWith("s.toml:2:1: a program needs its steps"));
  CHECK_THAT(error_of("shows = [\"fun\"]\n"),
             Catch::StartsWith("s.toml:1:9: each entry of shows must be one of \"min-max ratio\""));
  for (std::string const time : {"-1s", "1.5", "$", ""})
    CHECK_THAT(error_of("vary = [\"" + time + "\"]\n" + domain("")),
               Catch::StartsWith("s.toml:1:8: each entry of vary must be a time"));
  for (std::string const copies : {"0", "1025", "\"2\"", "\"$\""}) // "$" without `vary`
    CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\ncopies = " + copies + "\nsteps = [\"sync\"]\n"),
               Catch::StartsWith("s.toml:3:10: copies must be a whole number from 1 to 1024"));
  CHECK_THAT(error_of("vary = [\"2ms\"]\n[[domain]]\n[[domain.program]]\ncopies = \"$\"\n"),
             Catch::Contains("or \"$\" if each entry of vary is one"));
  CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\nsteps = [\"cpu $\"]\n"), // without `vary`
             Catch::StartsWith("s.toml:3:10: a step is"));
  CHECK_THAT(error_of("vary = [\"0ms\"]\n[[domain]]\n[[domain.program]]\nsteps = [\"cpu $\"]\n"),
             Catch::StartsWith("s.toml:4:10: a step is"));
  CHECK_THAT(error_of("[[accelerator]]\nswitch_cost = \"$\"\n" + domain("")), // without `vary`
             Catch::StartsWith("s.toml:2:15: switch_cost must be a time from 0"));
  CHECK_THAT(error_of("domain = 3\n"), Catch::Contains("domain must be tables"));
  for (std::string const step :
       {"launch", "launch 2", "launch 2ms 0", "launch 2ms 3 4", "sync 2ms", "cpu 1ms 2", "walk 1ms", ""})
    CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\nsteps = [\"" + step + "\"]\n"),
               Catch::StartsWith("s.toml:3:10: a step is"));
  CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\nsteps = [\"sync\"]\n"),
             Catch::Contains("never ends a round"));
}

TEST_CASE("two domains of one name, and promises that cannot be kept, are errors") {
  std::string const half = std::string("[[domain]]\nname = \"a\"\nslo = 0.6\n") + one_program;
  CHECK_THAT(error_of(half + half), Catch::Contains("two domains are called 'a'"));
  std::string const other = std::string("[[domain]]\nname = \"b\"\nslo = 0.6\n") + one_program;
  CHECK_THAT(error_of(half + other), Catch::Contains("the SLOs on accelerator 0 add up to 1.20"));
  CHECK_THAT(error_of("[[domain]]\nslo = 0.6\naccelerator_cap = 0.5\n"),
             Catch::Contains("slo must be no more than accelerator_cap"));
  CHECK_THAT(error_of("slos = \"none\"\n" + half),
             Catch::Contains("slos must be \"reserved\" or \"policy\""));
}

TEST_CASE("a file that cannot be read says why") {
  auto const scenario = read_scenarios("/nonexistent/s.toml");
  REQUIRE_FALSE(scenario);
  CHECK(scenario.error() == "/nonexistent/s.toml: No such file or directory");
}
