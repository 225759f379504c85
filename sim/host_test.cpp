// SPDX-License-Identifier: Apache-2.0
#include "policies/registry.h"
#include "sim/report/print.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

Scenario scenario_of(std::string const& text) {
  auto const scenario = parse_scenarios(text, "test");
  INFO((scenario ? "" : scenario.error()));
  REQUIRE(scenario);
  return scenario->front();
}

std::string domain(std::string const& name, std::string const& settings, std::string const& program) {
  return "[[domain]]\nname = \"" + name + "\"\n" + settings + "\n[[domain.program]]\n" + program + "\n";
}

std::vector<Run> runs_of(Scenario const& scenario, std::vector<std::string> const& policies,
                         std::uint64_t seed = 1) {
  auto const runs = run_policies(scenario, policies, seed);
  REQUIRE(runs);
  return *runs;
}

double share(Run const& run, std::size_t index) {
  return std::chrono::duration<double>(run.outcome.domains[index].device) / run.outcome.accelerators[0].busy;
}

constexpr auto greedy = "steps = [\"launch 2ms 16\", \"sync\"]";
// 0.5 ms of CPU work, then a kernel of 0.1 ms and a wait for it.
constexpr auto synchronous = "steps = [\"cpu 500us\", \"call 100us\"]";

std::string two_synchronous(std::string const& accelerator) {
  return "[[accelerator]]\n" + accelerator + "\n" + domain("a", "", synchronous) +
         domain("b", "", synchronous);
}

} // namespace

TEST_CASE("work done counts the time until a domain's programs have ended") {
  Scenario const scenario =
      scenario_of("warm_up = \"0ms\"\n" + domain("a", "", std::string(greedy) + "\nrounds = 10") +
                  domain("b", "", greedy));
  Run const run = runs_of(scenario, {"none"}).front();
  REQUIRE(run.outcome.domains[0].programs[0].ended);
  CHECK(run.progress[0] == Approx(1).margin(0.01)); // it ends within the scenario, alone and beside b
  std::vector<double> const work = values_of(Measure::work, run);
  REQUIRE(work.size() == 2);
  CHECK(work[0] == Approx(0.5).margin(0.02)); // ... but takes twice as long for it
  CHECK(work[1] == Approx(run.progress[1]));  // does not end
  CHECK(values_of(Measure::mean_work, run) == std::vector{2 / (1 / work[0] + 1 / work[1])});
}

TEST_CASE("a program's waits have a mean and a standard deviation") {
  Scenario const scenario = scenario_of(domain("a", "", "steps = [\"call 10ms\", \"call 30ms\"]") +
                                        domain("b", "accelerator = 0", "steps = [\"cpu 1s\"]"));
  Run const run = runs_of(scenario, {"none"}).front();
  std::vector<double> const latency = values_of(Measure::latency, run);
  std::vector<double> const deviation = values_of(Measure::deviation, run);
  // milliseconds; b waits for nothing
  CHECK(latency == std::vector{run.outcome.domains[0].wait_mean_us / 1000, 0.0});
  CHECK(latency[0] == Approx(20).margin(0.3));
  CHECK(deviation[0] == Approx(10).margin(0.3));
  CHECK(deviation[1] == 0);
}

TEST_CASE("requests come when they come: a wait is counted from then on") {
  auto const latency = [](std::string const& steps) {
    Scenario const scenario =
        scenario_of("duration = \"10s\"\n" + domain("a", "", "steps = [" + steps + "]"));
    return values_of(Measure::latency, runs_of(scenario, {"none"}).front()).front();
  };
  CHECK(latency("\"every 5ms\", \"call 1ms\"") == Approx(1).margin(0.1));
  // the second from its call
  CHECK(latency("\"every 5ms\", \"call 1ms\", \"call 3ms\"") == Approx(2).margin(0.1));
  CHECK(latency("\"every 1ms\", \"call 2ms\"") > 1000); // each comes a millisecond later than the one before
  // A queue with random arrivals and constant service, half busy: half a service time of waiting on the mean
  // (Pollaczek-Khinchine).
  CHECK(latency("\"arrive 10ms\", \"call 5ms\"") == Approx(7.5).margin(0.5));
}

TEST_CASE("kernels are divided into pieces, each of which costs time") {
  std::string const batch = domain("a", "", "steps = [\"launch 10ms 4\", \"sync\"]");
  auto const kernels_per_second = [&](std::string const& accelerator) {
    Scenario const scenario =
        scenario_of("duration = \"10s\"\n[[accelerator]]\n" + accelerator + "\n" + batch);
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
        scenario_of("duration = \"10s\"\n[[accelerator]]\npiece = \"" + piece + "\"\n" +
                    domain("a", "latency = \"200us\"", "steps = [\"sleep 9ms\", \"call 1ms\"]") +
                    domain("b", "", "steps = [\"launch 50ms 4\", \"sync\"]"));
    return values_of(Measure::p99, runs_of(scenario, {"eevdf hold=auto look_ahead=0"}).front()).front();
  };
  CHECK(wait("0ms") > 40);
  CHECK(wait("2ms") < 4);
}

TEST_CASE("greedy domains share the device by credits under each policy that promises it") {
  Scenario const scenario =
      scenario_of("duration = \"5s\"\n" + domain("a", "credits = 1024", greedy) +
                  domain("b", "credits = 512", greedy) + domain("c", "credits = 256", greedy));
  for (Run const& run : runs_of(scenario, {"accc", "slaf", "fair", "eevdf", "lead", "augc"})) {
    INFO(run.policy);
    CHECK(share(run, 0) == Approx(4.0 / 7).margin(0.02));
    CHECK(share(run, 1) == Approx(2.0 / 7).margin(0.02));
    CHECK(share(run, 2) == Approx(1.0 / 7).margin(0.02));
    CHECK(run.mmr > 0.95);
  }
}

TEST_CASE(
    "equal greedy domains without a policy have a half each, and what one does alone takes twice as long") {
  Scenario const scenario = scenario_of(domain("a", "", greedy) + domain("b", "", greedy));
  Run const run = runs_of(scenario, {"none"}).front();
  CHECK(share(run, 0) == Approx(0.5).margin(0.01));
  CHECK(run.progress[0] == Approx(0.5).margin(0.02));
  CHECK(run.mmr == Approx(1).margin(0.02));
  CHECK(run.overhead == Approx(1).margin(0.03));
}

TEST_CASE("without a policy longer kernels get more of the device; under fair they do not") {
  Scenario const scenario =
      scenario_of("duration = \"5s\"\n" + domain("long", "", "steps = [\"launch 10ms 16\", \"sync\"]") +
                  domain("short", "", "steps = [\"launch 1ms 64\", \"sync\"]"));
  auto const runs = runs_of(scenario, {"none", "fair"});
  CHECK(share(runs[0], 0) == Approx(10.0 / 11).margin(0.02)); // kernel by kernel in turn
  CHECK(share(runs[1], 0) == Approx(0.5).margin(0.02));
}

TEST_CASE("the run time of each program is over that of the program alone") {
  Scenario const scenario = scenario_of("shows = [\"program run time\"]\n[cpus]\ncount = 2\n" +
                                        domain("vm", "vcpus = 2",
                                               "steps = [\"launch 3ms 16\", \"sync\"]\n[[domain.program]]\n"
                                               "steps = [\"launch 1ms 64\", \"sync\"]"));
  auto const run_times = values_of(Measure::program_run_time, runs_of(scenario, {"none"}).front());
  REQUIRE(run_times.size() == 2);
  CHECK(run_times[0] == Approx(4.0 / 3).margin(0.03)); // kernel by kernel in turn
  CHECK(run_times[1] == Approx(4).margin(0.1));
}

TEST_CASE("lead does the work of none where a change of owner is free, and more where it costs") {
  Scenario const scenario = scenario_of(domain("a", "credits = 512", synchronous) +
                                        domain("b", "credits = 256", "steps = [\"launch 2ms 4\", \"sync\"]") +
                                        domain("c", "credits = 256", synchronous));
  auto const free = runs_of(scenario, {"none", "lead"});
  CHECK(free[1].overhead <= free[0].overhead * 1.02);
  auto const dear = runs_of(scenario_of(two_synchronous("switch_cost = \"1ms\"")), {"none", "fair", "lead"});
  CHECK(dear[2].overhead < dear[0].overhead / 1.5);
  CHECK(dear[2].overhead < dear[1].overhead / 1.5);
  CHECK(dear[2].mmr > 0.98);
}

TEST_CASE("no time is lost: what the domains executed is what the engine executed") {
  Scenario const scenario =
      scenario_of(domain("a", "credits = 700", greedy) + domain("b", "", synchronous) +
                  domain("c", "", "spread = 0.5\nsteps = [\"sleep 3ms\", \"launch 1ms 4\", \"sync\"]"));
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry()) {
    Run const run = runs_of(scenario, {std::string(entry.name)}).front();
    INFO(run.policy);
    Nanos all{0};
    for (DomainOutcome const& each : run.outcome.domains)
      all += each.device;
    AcceleratorOutcome const& accelerator = run.outcome.accelerators[0];
    CHECK(all == accelerator.busy);
    CHECK(accelerator.busy + accelerator.switching <= run.outcome.duration);
    // The greedy one always has work, if it has a CPU: only the changes of owner leave the device idle.
    if (entry.work_conserving && !entry.guests_poll)
      CHECK(std::chrono::duration<double>(accelerator.busy) / run.outcome.duration > 0.93);
  }
}

TEST_CASE("the same seed gives the same output, another seed another") {
  Scenario const scenario =
      scenario_of(domain("a", "", "spread = 0.3\nsteps = [\"cpu 1ms\", \"launch 1ms 4\", \"sync\"]") +
                  domain("b", "", synchronous));
  auto const output = [&](std::uint64_t seed) {
    return as_json(std::vector<ScenarioRuns>{{"two", scenario, runs_of(scenario, {"fair"}, seed)}});
  };
  CHECK(output(7) == output(7));
  CHECK(output(7) != output(8));
}

TEST_CASE("holding time slices pays where a change of context is dear, and only there") {
  auto const work = [](Run const& run) { return run.progress[0] + run.progress[1]; };
  auto const dear =
      runs_of(scenario_of(two_synchronous("switch_cost = \"1ms\"")), {"none", "xc", "xc hold=10ms"});
  CHECK(work(dear[2]) > 1.6 * work(dear[0]));
  CHECK(work(dear[1]) < 1.1 * work(dear[0]));
  auto const cheap = runs_of(scenario_of(two_synchronous("")), {"none", "xc hold=10ms"});
  CHECK(work(cheap[1]) < work(cheap[0]));
}

TEST_CASE("guests that spin lose the pCPU to each other, those that block do not") {
  auto const text = [](std::string const& wait) {
    return domain("a", "", "wait = \"" + wait + "\"\nsteps = [\"cpu 200us\", \"call 2ms\"]") +
           domain("b", "", "wait = \"" + wait + "\"\nsteps = [\"cpu 2ms\", \"call 200us\"]");
  };
  Run const spin = runs_of(scenario_of(text("spin")), {"none"}).front();
  Run const block = runs_of(scenario_of(text("block")), {"none"}).front();
  CHECK(spin.progress[0] + spin.progress[1] < 0.8 * (block.progress[0] + block.progress[1]));
}

TEST_CASE("under credit2 guests share the device by credits and the pCPU by weight") {
  std::string const cpus = "duration = \"5s\"\n[cpus]\nscheduler = \"credit2\"\n";
  for (Run const& run :
       runs_of(scenario_of(cpus + domain("a", "credits = 1024", greedy) +
                           domain("b", "credits = 512", greedy) + domain("c", "credits = 256", greedy)),
               {"accc", "fair", "eevdf", "lead", "augc"})) {
    INFO(run.policy);
    CHECK(share(run, 0) == Approx(4.0 / 7).margin(0.02));
    CHECK(share(run, 1) == Approx(2.0 / 7).margin(0.02));
  }
  constexpr auto computes = "steps = [\"cpu 20ms\", \"call 10us\"]";
  Run const run = runs_of(scenario_of(cpus + domain("light", "weight = 256", computes) +
                                      domain("heavy", "weight = 768", computes)),
                          {"none"})
                      .front();
  CHECK(std::chrono::duration<double>(run.outcome.domains[1].cpu) / run.outcome.domains[0].cpu ==
        Approx(3).epsilon(0.05));
}

// docs/design/simulator.md, "What a wake-up costs".
TEST_CASE(
    "the rate limit of credit2 costs a guest that wakes up within it, and has a neighbour that computes") {
  auto const calls = [](std::string const& cpus) {
    Run const run =
        runs_of(scenario_of("[cpus]\n" + cpus + "\n" + domain("computes", "", "steps = [\"cpu 9s\"]") +
                            domain("waits", "", "steps = [\"cpu 100us\", \"call 300us\"]")),
                {"none"})
            .front();
    return run.outcome.domains[1].programs[0].kernels;
  };
  auto const limited = calls("scheduler = \"credit2\"");
  CHECK(limited > 0);
  CHECK(calls("scheduler = \"credit2\"\nratelimit = \"0\"") > 20 * limited);
  CHECK(calls("") > 8 * limited); // credit looks again when the limit ends
}

TEST_CASE("a program that ends frees the device, and one that runs away is killed") {
  Scenario const scenario = scenario_of(
      "runaway = \"100ms\"\nwarm_up = \"0\"\n" + domain("few", "", "rounds = 3\nsteps = [\"call 1ms\"]") +
      domain("endless", "", "steps = [\"call 60s\"]") + domain("other", "", greedy));
  Run const run = runs_of(scenario, {"accc"}).front();
  ProgramOutcome const& few = run.outcome.domains[0].programs[0];
  REQUIRE(few.ended);
  CHECK(few.rounds == 3);
  ProgramOutcome const& endless = run.outcome.domains[1].programs[0];
  CHECK(endless.killed);
  CHECK(run.outcome.domains[1].device < 200ms);
  CHECK(run.outcome.domains[2].device > 1500ms);
}

TEST_CASE("a program goes from phase to phase, and ends with the last") {
  std::string const phase = "[[domain.program.phase]]\n";
  Scenario const scenario =
      scenario_of("duration = \"1s\"\nwarm_up = \"0\"\n" +
                  domain("a", "",
                         phase + "rounds = 10\nsteps = [\"call 1ms\"]\n" + phase +
                             "steps = [\"sleep 100ms\"]\n" + phase + "rounds = 5\nsteps = [\"call 2ms\"]"));
  Run const run = runs_of(scenario, {"accc"}).front();
  ProgramOutcome const& program = run.outcome.domains[0].programs[0];
  CHECK(program.kernels == 15);
  CHECK(program.rounds == 16);
  CHECK(run.outcome.domains[0].device == 20ms);
  REQUIRE(program.ended);
  CHECK(*program.ended >= 120ms);
  CHECK(*program.ended < 130ms);
}

TEST_CASE("programs that poll on one vCPU take turns") {
  std::string const polls = "[[domain.program]]\nwait = \"spin\"\nsteps = [\"call 1ms\"]\n";
  Run const run = runs_of(scenario_of("[[domain]]\n" + polls + polls), {"none"}).front();
  auto const& programs = run.outcome.domains[0].programs;
  CHECK(programs[0].kernels > 900);
  CHECK(static_cast<double>(programs[1].kernels) == Approx(programs[0].kernels).epsilon(0.05));
}

TEST_CASE("an unknown policy or tunable is an error that names what there is") {
  Scenario const scenario = scenario_of(domain("a", "", greedy));
  auto const unknown = run_policies(scenario, {"fastest"}, 1);
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error(), Catch::Contains("fastest") && Catch::Contains("accc"));
  CHECK_FALSE(run_policies(scenario, {"fair slice=1week"}, 1));
}
