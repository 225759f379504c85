// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/reservation.h"

#include <catch2/catch.hpp>

using namespace pegasus::placement;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
using Which = std::vector<std::size_t>;

Available empty(std::uint64_t mebibytes = 64) {
  return {.memory = mebibytes * mib, .free_memory = mebibytes * mib};
}
Reservation memory(std::uint64_t mebibytes) { return {.memory = mebibytes * mib}; }
Reservation time(double slo) { return {.slo = slo}; }

} // namespace

TEST_CASE("memory: a limit is kept where as much is free, to the byte") {
  std::vector<Available> accelerators{empty(), empty()};
  accelerators[0].free_memory = 48 * mib;
  CHECK(feasible_on(accelerators, memory(48)) == Which{0, 1});
  CHECK(feasible_on(accelerators, {.memory = 48 * mib + 1}) == Which{1});
  CHECK(feasible_on(accelerators, memory(64)) == Which{1});
  CHECK(feasible_on(accelerators, memory(65)).empty());
}

TEST_CASE("SLO: those of an accelerator add up to no more than 1, as decimal fractions do") {
  std::vector<Available> accelerators{empty(), empty()};
  accelerators[0].slo = 0.7;
  accelerators[1].slo = 0.1 + 0.2; // a little more than 0.3
  CHECK(feasible_on(accelerators, time(0.3)) == Which{0, 1});
  CHECK(feasible_on(accelerators, time(0.7)) == Which{1});
  CHECK(feasible_on(accelerators, time(0.701)).empty());
}

TEST_CASE("a domain without a reservation is admitted wherever it may be") {
  std::vector<Available> full{{.memory = 64 * mib, .free_memory = 0, .slo = 1.5},
                              {.memory = 64 * mib, .free_memory = 0, .slo = 1.5}};
  CHECK_FALSE(Reservation{}.any());
  CHECK(feasible_on(full, {}) == Which{0, 1});
  CHECK(feasible_on(full, {.only = 1}) == Which{1});
}

TEST_CASE("both are kept on the same accelerator, and on the one that an operator chose") {
  std::vector<Available> accelerators{empty(), empty()};
  accelerators[0].free_memory = 0;
  accelerators[1].slo = 1;
  CHECK(feasible_on(accelerators, {.memory = mib, .slo = 0.5}).empty());
  CHECK(busy_message("d", accelerators, {.memory = mib, .slo = 0.5}) ==
        "domain d needs 1M of memory and 0.500 of the time of one accelerator; none has both free");
  CHECK(feasible_on(accelerators, memory(1)) == Which{1});
  CHECK(feasible_on(accelerators, {.memory = mib, .only = 0}).empty());
}

TEST_CASE("no domain overtakes a waiting one, however little it wants") {
  std::vector<Available> accelerators{empty(), empty()};
  accelerators[0].free_memory = 16 * mib;
  accelerators[1].free_memory = 8 * mib;
  reserve(accelerators, memory(48)); // it waits: neither has this much
  CHECK(feasible_on(accelerators, memory(1)).empty());
  CHECK(feasible_on(accelerators, time(0.5)) == Which{0, 1}); // it wants something else
}

TEST_CASE("a later domain is admitted where those before it find room as well") {
  std::vector<Available> accelerators{empty(), empty(128)};
  reserve(accelerators, {.memory = 48 * mib, .slo = 0.5, .only = 0});
  CHECK(feasible_on(accelerators, memory(16)) == Which{0, 1});
  CHECK(feasible_on(accelerators, memory(17)) == Which{1});
  CHECK(feasible_on(accelerators, time(0.6)) == Which{1});
}

TEST_CASE("a reservation that no accelerator can keep is told from one that has to wait") {
  std::vector<Available> accelerators{empty(), empty(128)};
  accelerators[1].free_memory = 0;
  accelerators[1].slo = 1;
  CHECK(feasible_when_empty(accelerators, {.memory = 128 * mib, .slo = 1}));
  CHECK_FALSE(feasible_when_empty(accelerators, memory(129)));
  CHECK_FALSE(feasible_when_empty(accelerators, {.memory = 65 * mib, .only = 0}));
  CHECK_FALSE(feasible_when_empty(accelerators, time(1.001)));
}

TEST_CASE("the messages say what is needed, what is free, and what would fit") {
  std::vector<Available> accelerators{empty(), empty(128)};
  accelerators[0].free_memory = 16 * mib - 1;
  accelerators[1].free_memory = 8 * mib;
  accelerators[0].slo = 0.75;
  accelerators[1].slo = 1.25; // an operator changed it meanwhile
  CHECK(busy_message("b", accelerators, {.memory = 48 * mib + 1}) ==
        "domain b needs 49M of accelerator memory; 15M is free");
  CHECK(busy_message("b", accelerators, {.memory = 48 * mib, .only = 1}) ==
        "domain b needs 48M of accelerator memory; 8M is free on its accelerator 1");
  CHECK(busy_message("b", accelerators, time(0.5)) ==
        "domain b needs 0.500 of an accelerator's time; 0.250 is not reserved");
  CHECK(busy_message("b", accelerators, {.slo = 0.5, .only = 1})
            .find("0.000 is not reserved on its accelerator 1") != std::string::npos);
  CHECK(infeasible_message("b", accelerators, memory(256)) ==
        "domain b needs 256M of accelerator memory; there is 128M: set memory= to that or less");
  CHECK(infeasible_message("b", accelerators, {.memory = 128 * mib, .only = 0})
            .find("there is 64M on its accelerator 0") != std::string::npos);
  CHECK(infeasible_message("b", accelerators, time(1.5)).find("set slo= to 1 or less") != std::string::npos);
}

TEST_CASE("a context that does not fit: into the share, or into what is left of it") {
  CHECK(no_context_message("d", 256 * mib, 256 * mib, 512 * mib) ==
        "domain d's share of 256M of accelerator memory is smaller than a context on this GPU (512M): give "
        "it more "
        "memory");
  CHECK(no_context_message("d", 800 * mib, 100 * mib, 512 * mib) ==
        "domain d has 100M of accelerator memory left, and a context on this GPU takes 512M: end one of its "
        "programs, or give it more memory");
}
