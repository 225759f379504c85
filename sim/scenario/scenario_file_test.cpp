// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/scenario_error.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;

TEST_CASE("a scenario is read as it is written") {
  auto const scenarios = parse_scenarios(R"(
title = "Two guests"
policies = ["fair slice=2ms", "rr"]
duration = "3s"
[cpus]
count = 2
slice = "5ms"
[[accelerator]]
switch_cost = "100us"
copy_engines = 2
[[domain]]
name = "g"
copies = 2
vcpus = 4
weight = 512
pin = [1]
credits = 1024
slo = 0.25
[[domain.program]]
wait = "spin"
rounds = 7
spread = 0.5
steps = ["cpu 1ms", "launch 2ms 16", "sync", "call 50us 3", "sleep 1s", "to_device 1ms 2", "from_device 3ms"]
)",
                                         "s.toml");
  REQUIRE(scenarios);
  REQUIRE(scenarios->size() == 1);
  Scenario const* const scenario = &scenarios->front();
  CHECK(scenario->variant.empty());
  CHECK(scenario->shows == std::vector{Measure::mmr, Measure::overhead});
  CHECK(scenario->policies == std::vector<std::string>{"fair slice=2ms", "rr"});
  CHECK(scenario->duration == 3s);
  CHECK(scenario->cpus.pcpus == 2);
  CHECK(scenario->cpus.slice == 5ms);
  REQUIRE(scenario->accelerators.size() == 1);
  CHECK(scenario->accelerators[0].switch_cost == 100us);
  CHECK(scenario->accelerators[0].copy_engines == 2);
  REQUIRE(scenario->domains.size() == 2);
  DomainScenario const& domain = scenario->domains[1];
  CHECK(domain.name == "g-2");
  CHECK(domain.vcpus == 4);
  CHECK(domain.cpu.weight == 512);
  CHECK(domain.cpu.pin == std::vector<unsigned>{1});
  CHECK(domain.accelerator.credits == 1024);
  CHECK(domain.accelerator.slo == 0.25);
  REQUIRE(domain.programs.size() == 1);
  ProgramSettings const& settings = domain.programs[0];
  CHECK(settings.wait == Wait::spin);
  CHECK(settings.phases[0].rounds == 7);
  CHECK(settings.spread == 0.5);
  REQUIRE(settings.phases.size() == 1);
  REQUIRE(settings.phases[0].steps.size() == 7);
  CHECK(settings.phases[0].steps[1].kind == Step::Kind::launch);
  CHECK(settings.phases[0].steps[1].span == 2ms);
  CHECK(settings.phases[0].steps[1].count == 16);
  CHECK(settings.phases[0].steps[3].count == 3);
  CHECK(settings.phases[0].steps[5] == Step{.kind = Step::Kind::to_device, .span = 1ms, .count = 2});
  CHECK(settings.phases[0].steps[6] == Step{.kind = Step::Kind::from_device, .span = 3ms});
}

TEST_CASE("Dom0 shares the guests' pCPUs, or has its own") {
  auto const shared = parse_scenarios("[cpus]\ncount = 4\n[dom0]\nvcpus = 2\nweight = 512\npin = [3]\nwait = "
                                      "\"block\"\n[[domain]]\n",
                                      "s.toml");
  REQUIRE(shared);
  CHECK(shared->front().dom0 ==
        Dom0Settings{.vcpus = 2, .own_pcpus = 0, .cpu = {.weight = 512, .pin = {3}}, .device_poll = false});
  CHECK(all_pcpus(shared->front()) == 4);
  auto const own = parse_scenarios("[dom0]\nown_pcpus = 2\npin = [1]\n[[domain]]\n", "s.toml");
  REQUIRE(own);
  CHECK(own->front().dom0 == Dom0Settings{.own_pcpus = 2, .cpu = {.pin = {1}}});
  CHECK(all_pcpus(own->front()) == 3);
  CHECK_FALSE(parse_scenarios("[[domain]]\n", "s.toml")->front().dom0);
  CHECK_THAT(error_of("[dom0]\npin = [1]\n"),
             Catch::Contains("s.toml:2:8: each entry of pin must be a whole"));
  CHECK_THAT(error_of("[dom0]\nwait = \"hybrid\"\n"),
             Catch::StartsWith("s.toml:2:8: Dom0's wait must be \"spin\" or \"block\""));
  CHECK_THAT(error_of("[[dom0]]\n"), Catch::Contains("dom0 must be a table"));
}

TEST_CASE("the policies may be told another cost of a change than the device has") {
  auto const told = [](std::string const& lines) {
    auto const scenarios = parse_scenarios("vary = [\"2ms\"]\n[[accelerator]]\nswitch_cost = \"1ms\"\n" +
                                               lines + "\n[[domain]]\n" + one_program,
                                           "s.toml");
    INFO((scenarios ? "" : scenarios.error()));
    REQUIRE(scenarios);
    return scenarios->front().accelerators[0].told_switch_cost;
  };
  CHECK(told("") == std::nullopt);
  CHECK(told("told_switch_cost = \"0ms\"") == Nanos{0});
  CHECK(told("told_switch_cost = \"$\"") == 2ms);
}

TEST_CASE("a program may have phases") {
  auto const scenarios = parse_scenarios(R"(
[[domain]]
[[domain.program]]
start = "1s"
[[domain.program.phase]]
steps = ["call 1ms"]
rounds = 3
[[domain.program.phase]]
steps = ["sleep 2s"]
)",
                                         "s.toml");
  REQUIRE(scenarios);
  std::vector<Phase> const& phases = scenarios->front().domains[0].programs[0].phases;
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].steps[0].kind == Step::Kind::call);
  CHECK(phases[0].rounds == 3);
  CHECK(phases[1].rounds == 1);
  std::string const phase = "[[domain.program.phase]]\n";
  CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\nrounds = 2\n" + phase + "steps = [\"call 1ms\"]\n"),
             Catch::StartsWith("s.toml:3:10: a program with phases has its rounds in each"));
  CHECK_THAT(error_of("[[domain]]\n[[domain.program]]\n" + phase + "rounds = 2\n"),
             Catch::StartsWith("s.toml:3:1: a program needs its steps"));
}

TEST_CASE("a domain may have a scheduler of its own, and its programs weights for that") {
  auto const domain_of = [](std::string const& nested) {
    auto const scenarios = parse_scenarios(
        "[[domain]]\n" + nested + "\n[[domain.program]]\nweight = 2.5\nsteps = [\"call 1ms\"]\n" +
            "[[domain.program]]\nsteps = [\"call 1ms\"]\n",
        "s.toml");
    INFO((scenarios ? "" : scenarios.error()));
    REQUIRE(scenarios);
    return scenarios->front().domains.front();
  };
  DomainScenario const all =
      domain_of("nested = { lag = \"3ms\", period = \"500us\", idle_after = \"4ms\" }");
  CHECK(all.nested == NestedSettings{.lag = 3ms, .idle_after = 4ms, .period = 500us});
  CHECK(all.programs.at(0).weight == 2.5);
  CHECK(all.programs.at(1).weight == 1);
  CHECK(domain_of("nested = {}").nested == NestedSettings{});
  auto const nested_error = [](std::string const& nested) {
    return error_of("[[domain]]\nnested = " + nested + "\n" + one_program);
  };
  CHECK_THAT(nested_error("true"),
             Catch::StartsWith("s.toml:2:10: nested must be a table, as in nested = {"));
  CHECK_THAT(nested_error("{ lag = 2 }"),
             Catch::StartsWith("s.toml:2:18: lag must be a time from 0s to 600s"));
  CHECK_THAT(nested_error("{ period = \"0ms\" }"),
             Catch::StartsWith("s.toml:2:21: period must be a time from 10us"));
  CHECK_THAT(
      nested_error("{ delay = \"2ms\" }"),
      Catch::StartsWith("s.toml:2:12: a nested scheduler has no 'delay'; it has idle_after, lag, period"));
  std::string const weight = "[[domain.program]]\nweight = ";
  CHECK_THAT(
      error_of("[[domain]]\n" + weight + "2\nsteps = [\"call 1ms\"]\n"),
      Catch::StartsWith("s.toml:3:10: the weight of a program is for a domain with a nested scheduler"));
  for (std::string const wrong : {"0", "-1", "1001", "\"2\"", "nan"})
    CHECK_THAT(error_of("[[domain]]\nnested = {}\n" + weight + wrong + "\nsteps = [\"call 1ms\"]\n"),
               Catch::StartsWith("s.toml:4:10: weight must be a number from 0.001 to 1000"));
}

TEST_CASE("the pool has the scheduler that is named, and only its settings") {
  auto const cpus = [](std::string const& lines) {
    return "[cpus]\n" + lines + "\n[[domain]]\n" + one_program;
  };
  auto const scheduler_of = [&](std::string const& lines) {
    auto const scenarios = parse_scenarios(cpus(lines), "s.toml");
    INFO((scenarios ? "" : scenarios.error()));
    REQUIRE(scenarios);
    return scenarios->front().cpus.scheduler;
  };
  CHECK(scheduler_of("count = 1024") == SchedulerKind::credit);
  CHECK(scheduler_of("scheduler = \"credit\"\nslice = \"5ms\"") == SchedulerKind::credit);
  CHECK(scheduler_of("scheduler = \"credit2\"\ncount = 16\nratelimit = \"0\"") == SchedulerKind::credit2);
  CHECK(error_of(cpus("scheduler = \"rtds\"")) == "s.toml:2:13: scheduler must be \"credit\" or \"credit2\"");
  CHECK_THAT(error_of(cpus("scheduler = 2")), Catch::StartsWith("s.toml:2:13: scheduler must be a string"));
  CHECK_THAT(error_of(cpus("slice = \"5ms\"\nscheduler = \"credit2\"")),
             Catch::StartsWith("s.toml:2:9: credit2 has no slice"));
  CHECK(error_of(cpus("scheduler = \"credit2\"\ncount = 17")) ==
        "s.toml:3:9: count must be a whole number from 1 to 16");
}

TEST_CASE("the CPU schedule that policies see may be old or come by hypercalls, and ticks may be spread") {
  auto const scenario_of = [](std::string const& lines) {
    auto const scenarios =
        parse_scenarios("vary = [\"2ms\"]\n[cpus]\n" + lines + "\n[[domain]]\n" + one_program, "s.toml");
    INFO((scenarios ? "" : scenarios.error()));
    REQUIRE(scenarios);
    return scenarios->front();
  };
  CHECK(scenario_of("").schedule == ScheduleSettings{});
  CHECK(scenario_of("schedule_age = \"$\"\nschedule_period = \"30ms\"").schedule ==
        ScheduleSettings{.age = 2ms, .period = 30ms});
  CHECK(scenario_of("schedule = \"hypercalls\"").schedule.source == ScheduleSource::hypercalls);
  CHECK(scenario_of("schedule = \"none\"\nschedule_age = \"0ms\"").schedule.source == ScheduleSource::none);
  CHECK_FALSE(scenario_of("ticks = \"together\"").cpus.ticks_spread);
  CHECK(scenario_of("ticks = \"spread\"").cpus.ticks_spread);
  auto const cpus = [](std::string const& lines) {
    return "[cpus]\n" + lines + "\n[[domain]]\n" + one_program;
  };
  CHECK(error_of(cpus("schedule = \"xenstore\"")) ==
        "s.toml:2:12: schedule must be \"pages\", \"traces\", \"hypercalls\" or \"none\"");
  CHECK(error_of(cpus("schedule_age = \"1ms\"\nschedule = \"none\"")) ==
        "s.toml:2:16: schedule_age needs schedule = \"pages\"");
  CHECK(error_of(cpus("schedule = \"hypercalls\"\nschedule_period = \"1ms\"")) ==
        "s.toml:3:19: schedule_period needs schedule = \"pages\"");
  CHECK(error_of(cpus("schedule_period = \"1us\"")) ==
        "s.toml:2:19: schedule_period must be 0 or a time from 10us to 1s");
  CHECK(error_of(cpus("schedule_age = \"2s\"")) ==
        "s.toml:2:16: schedule_age must be 0 or a time from 10us to 1s");
  CHECK_THAT(error_of(cpus("ticks = \"spread\"\nscheduler = \"credit2\"")),
             Catch::StartsWith("s.toml:2:9: credit2 has no ticks"));
}
