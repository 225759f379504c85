// SPDX-License-Identifier: Apache-2.0
// A domain with an SLO on the modelled host, under every policy, beside greedy domains whose kernels cannot be stopped.
#include "policies/registry.h"
#include "sim/testing/device_parts.h"
#include "sim/testing/fewer_seeds.h"

#include <catch2/catch.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::array<std::string_view, 2> reserved_programs{R"("call {}")", R"("launch {} 8", "sync")"};
std::vector<double> parts_beside(std::string const& domains, std::string const& policy,
                                 std::string_view duration = "10s") {
  return testing::device_parts(
      fmt::format("duration = \"{}\"\nwarm_up = \"2s\"\n{}[cpus]\ncount = 8\n", duration, domains), policy);
}

std::string reserved_domain(double slo, std::uint32_t credits, std::string_view steps) {
  return fmt::format("[[domain]]\nslo = {}\ncredits = {}\n[[domain.program]]\nsteps = [{}]\n", slo, credits,
                     steps);
}

std::string steps_of(std::string_view program, std::string_view kernel) {
  return fmt::format(fmt::runtime(program), kernel);
}

std::string beside_three(std::string_view program, std::string_view kernel) {
  return fmt::format("[[domain]]\ncopies = 3\ncredits = 256\n[[domain.program]]\nsteps = [{}]\n",
                     steps_of(program, kernel));
}

} // namespace

// Kernels of all lengths cannot be stopped. A neighbour of 40 ms has the device for 40 ms at least whenever it has it:
// the SLO then holds over seconds.
TEST_CASE("a domain of few credits receives its SLO beside three greedy ones, under every policy") {
  struct Cell {
    std::string_view program, own, other;
  };
  std::array const cells{Cell{reserved_programs[0], "100us", "40ms"},
                         Cell{reserved_programs[0], "10ms", "1ms"}, Cell{reserved_programs[1], "1ms", "40ms"},
                         Cell{reserved_programs[1], "40ms", "10ms"}};
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry())
    for (Cell const& cell : cells)
      for (double const slo : {0.1, 0.3, 0.6, 0.8}) {
        if (entry.keeps_slos || (testing::fewer_seeds && slo != 0.6)) continue;
        INFO(entry.name << ": " << slo << " of " << steps_of(cell.program, cell.own) << " beside "
                        << cell.other);
        auto const parts = parts_beside(reserved_domain(slo, 64, steps_of(cell.program, cell.own)) +
                                            beside_three(cell.program, cell.other),
                                        std::string(entry.name));
        // Where a call begins when the last one has ended, 30 us pass between two of 100 us each. What is more than an
        // eighth of the latter is taken from the SLO.
        bool const pauses = entry.engaged && cell.own == "100us";
        CHECK(parts[0] > (pauses ? slo / (1 + 0.31 - 0.125) : slo) - 0.01);
        CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) > 0.75); // its gaps
        if (entry.accounts) CHECK(parts[0] < std::max(slo, 0.25) + 0.02);
      }
}

TEST_CASE("two reservations hold, and the rest of the device goes by credits") {
  for (std::string_view const policy : {"accc", "eevdf", "fair", "eevdf hold=auto"})
    for (std::string_view const other : {"1ms", "10ms"}) {
      INFO(policy << ", kernels of " << other);
      std::string const program = steps_of(reserved_programs[0], "1ms");
      auto const two = parts_beside(reserved_domain(0.4, 64, program) + reserved_domain(0.4, 64, program) +
                                        beside_three(reserved_programs[1], other),
                                    std::string(policy), "40s");
      CHECK(two[0] > 0.39);
      CHECK(two[1] > 0.39);
      CHECK(*std::ranges::min_element(std::span(two).subspan(2)) > 0.04);

      auto const one =
          parts_beside(reserved_domain(0.4, 64, program) + beside_three(reserved_programs[1], other),
                       std::string(policy), "40s");
      auto const rest = std::span(one).subspan(1);
      CHECK(*std::ranges::min_element(rest) / *std::ranges::max_element(rest) > 0.95);
    }
}

TEST_CASE("an SLO that a domain's credits give it anyway moves nothing") {
  for (std::string_view const policy :
       {"rr", "accc", "augc", "fair", "eevdf", "eevdf hold=auto", "lead", "dfq"})
    for (std::string_view const kernel : {"1ms", "10ms"}) {
      INFO(policy << ", kernels of " << kernel);
      std::string const program = steps_of(reserved_programs[1], kernel);
      std::string const others = beside_three(reserved_programs[1], kernel);
      auto const with = parts_beside(reserved_domain(0.2, 256, program) + others, std::string(policy), "20s");
      auto const without =
          parts_beside(reserved_domain(0, 256, program) + others, std::string(policy), "20s");
      for (std::size_t i = 0; i < with.size(); ++i)
        CHECK(with[i] == Approx(without[i]).margin(0.01));
    }
}

TEST_CASE("a domain may have a cap and an SLO") {
  for (std::string_view const policy : {"none", "accc", "eevdf"}) {
    INFO(policy);
    auto const parts = parts_beside("[[domain]]\nslo = 0.4\naccelerator_cap = 0.5\ncredits = 16\n"
                                    "[[domain.program]]\nsteps = [\"call 1ms\"]\n" +
                                        beside_three(reserved_programs[1], "10ms"),
                                    std::string(policy));
    CHECK(parts[0] > 0.39);
    CHECK(parts[0] < 0.51);
  }
}

TEST_CASE("slos = \"policy\" leaves SLOs to the policy") {
  std::string const domains =
      reserved_domain(0.6, 64, R"("call 1ms")") + beside_three(reserved_programs[0], "1ms");
  CHECK(parts_beside("slos = \"policy\"\n" + domains, "fair")[0] < 0.1);
  CHECK(parts_beside("slos = \"reserved\"\n" + domains, "fair")[0] > 0.59);
}
