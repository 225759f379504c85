// SPDX-License-Identifier: Apache-2.0
// What a domain whose kernels are longer than its time slices costs others, and what it loses.
#include "sim/report/metrics.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::sim;

namespace {

// Two domains, a pCPU each; the keys of each domain, and the steps of its program.
Run run_of(std::string const& policy, std::string const& duration, std::string const& one,
           std::string const& other) {
  auto const domain = [](int pcpu, std::string const& keys) {
    return fmt::format("[[domain]]\npin = [{}]\n{}\n", pcpu, keys);
  };
  auto const scenarios = parse_scenarios(
      fmt::format("duration = \"{}\"\n[cpus]\ncount = 2\n{}{}", duration, domain(0, one), domain(1, other)),
      "test");
  INFO((scenarios ? "" : scenarios.error()));
  REQUIRE(scenarios);
  auto const runs = run_policies(scenarios->front(), {policy}, 1);
  REQUIRE(runs);
  return runs->front();
}

std::string domain(int credits, std::string const& steps, std::string const& more = "") {
  return fmt::format("credits = {}\n[[domain.program]]\nsteps = [{}]\n{}", credits, steps, more);
}

} // namespace

TEST_CASE("a domain of few credits with long kernels goes on beside one that seldom calls") {
  for (std::string const policy : {"accc", "fair", "eevdf", "augc", "lead", "dfq"})
    for (std::string const kernel : {"20ms", "100ms", "300ms"}) {
      INFO(policy << ", kernels of " << kernel);
      Run const run = run_of(policy, "120s", domain(4, fmt::format("\"call {}\"", kernel)),
                             domain(1024, "\"call 1ms\", \"sleep 30s\""));
      CHECK(run.progress[0] >= 0.98);
    }
}

TEST_CASE("a domain is not barred for the kernels of another one behind which its own wait") {
  for (std::string const kernel : {"1ms", "10ms", "100ms", "300ms"}) {
    INFO("kernels of " << kernel);
    Run const run = run_of("dfq", "60s", domain(256, fmt::format("\"launch {} 4\", \"sync\"", kernel)),
                           domain(256, "\"launch 1ms 64\", \"sync\""));
    CHECK(share(run.outcome, run.outcome.domains[1]) == Approx(0.5).margin(0.02));
  }
}

TEST_CASE("two domains of long kernels have equal shares, whichever has the longer ones") {
  for (std::string const policy : {"accc", "fair", "eevdf", "lead", "dfq"})
    for (std::string const kernel : {"50ms", "130ms", "165ms"}) {
      INFO(policy << ", kernels of " << kernel);
      Run const run = run_of(policy, "60s", domain(256, fmt::format("\"call {}\"", kernel)),
                             domain(256, "\"call 160ms\""));
      CHECK(share(run.outcome, run.outcome.domains[0]) == Approx(0.5).margin(0.02));
    }
}

TEST_CASE("a program that computes between its calls keeps nearly half of its rate beside kernels of 0.1 to "
          "0.9 s") {
  for (std::string const policy : {"lead", "fair", "eevdf", "accc", "dfq"})
    for (std::string const kernel : {"100ms", "300ms", "900ms"}) {
      INFO(policy << ", kernels of " << kernel);
      Run const run = run_of(policy, "60s", domain(256, "\"cpu 1ms\", \"call 300us\"", "spread = 0.1"),
                             domain(256, fmt::format("\"call {}\"", kernel)));
      // What fits into a free run of one domain, 25 ms, is no overrun: kernels of 100 ms leave (100 - 25) / (200 - 25).
      CHECK(run.progress[0] >= (policy == "dfq" ? 0.42 : 0.45));
    }
}

TEST_CASE(
    "a program whose gaps are longer than half a tick keeps nearly half of its rate beside long kernels") {
  for (std::string const policy : {"lead", "dfq"})
    for (std::string const steps : {"\"cpu 6ms\", \"call 1ms\"", "\"cpu 12ms\", \"call 5ms\""})
      for (std::string const kernel : {"100ms", "165ms", "300ms"}) {
        INFO(policy << ", " << steps << ", kernels of " << kernel);
        Run const run =
            run_of(policy, "60s", domain(256, steps), domain(256, fmt::format("\"call {}\"", kernel)));
        CHECK(run.progress[0] >= 0.42);
      }
}
