// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/promises.h"

#include <catch2/catch.hpp>

using namespace pegasus::daemon;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
using Which = std::vector<std::size_t>;

Capacity empty(std::uint64_t mebibytes = 64) {
  return {.memory = mebibytes * mib, .free_memory = mebibytes * mib};
}
Promise memory(std::uint64_t mebibytes) { return {.memory = mebibytes * mib}; }
Promise time(double slo) { return {.slo = slo}; }

} // namespace

TEST_CASE("memory: a limit is kept where as much is free, to the byte") {
  std::vector<Capacity> capacities{empty(), empty()};
  capacities[0].free_memory = 48 * mib;
  CHECK(where_kept(capacities, memory(48)) == Which{0, 1});
  CHECK(where_kept(capacities, {.memory = 48 * mib + 1}) == Which{1});
  CHECK(where_kept(capacities, memory(64)) == Which{1});
  CHECK(where_kept(capacities, memory(65)).empty());
}

TEST_CASE("SLO: those of an accelerator add up to no more than 1, as decimal fractions do") {
  std::vector<Capacity> capacities{empty(), empty()};
  capacities[0].slo = 0.7;
  capacities[1].slo = 0.1 + 0.2; // a little more than 0.3
  CHECK(where_kept(capacities, time(0.3)) == Which{0, 1});
  CHECK(where_kept(capacities, time(0.7)) == Which{1});
  CHECK(where_kept(capacities, time(0.701)).empty());
}

TEST_CASE("a domain without a promise is admitted wherever it may be") {
  std::vector<Capacity> full{{.memory = 64 * mib, .free_memory = 0, .slo = 1.5},
                             {.memory = 64 * mib, .free_memory = 0, .slo = 1.5}};
  CHECK_FALSE(Promise{}.any());
  CHECK(where_kept(full, {}) == Which{0, 1});
  CHECK(where_kept(full, {.only = 1}) == Which{1});
}

TEST_CASE("both are kept on the same accelerator, and on the one that an operator chose") {
  std::vector<Capacity> capacities{empty(), empty()};
  capacities[0].free_memory = 0;
  capacities[1].slo = 1;
  CHECK(where_kept(capacities, {.memory = mib, .slo = 0.5}).empty());
  CHECK(not_now("d", capacities, {.memory = mib, .slo = 0.5}) ==
        "domain d is to have 1M of memory and 0.500 of the time of one accelerator, and none has both free");
  CHECK(where_kept(capacities, memory(1)) == Which{1});
  CHECK(where_kept(capacities, {.memory = mib, .only = 0}).empty());
}

TEST_CASE("no domain overtakes a waiting one, however little it wants") {
  std::vector<Capacity> capacities{empty(), empty()};
  capacities[0].free_memory = 16 * mib;
  capacities[1].free_memory = 8 * mib;
  set_aside(capacities, memory(48)); // it waits: neither has this much
  CHECK(where_kept(capacities, memory(1)).empty());
  CHECK(where_kept(capacities, time(0.5)) == Which{0, 1}); // it wants something else
}

TEST_CASE("a later domain is admitted where those before it find room as well") {
  std::vector<Capacity> capacities{empty(), empty(128)};
  set_aside(capacities, {.memory = 48 * mib, .slo = 0.5, .only = 0});
  CHECK(where_kept(capacities, memory(16)) == Which{0, 1});
  CHECK(where_kept(capacities, memory(17)) == Which{1});
  CHECK(where_kept(capacities, time(0.6)) == Which{1});
}

TEST_CASE("a promise that no accelerator can keep is told from one that has to wait") {
  std::vector<Capacity> capacities{empty(), empty(128)};
  capacities[1].free_memory = 0;
  capacities[1].slo = 1;
  CHECK(ever_kept(capacities, {.memory = 128 * mib, .slo = 1}));
  CHECK_FALSE(ever_kept(capacities, memory(129)));
  CHECK_FALSE(ever_kept(capacities, {.memory = 65 * mib, .only = 0}));
  CHECK_FALSE(ever_kept(capacities, time(1.001)));
}

TEST_CASE("the sentences say what is wanted, what there is, and what would fit") {
  std::vector<Capacity> capacities{empty(), empty(128)};
  capacities[0].free_memory = 16 * mib - 1;
  capacities[1].free_memory = 8 * mib;
  capacities[0].slo = 0.75;
  capacities[1].slo = 1.25; // an operator changed it meanwhile
  CHECK(not_now("b", capacities, {.memory = 48 * mib + 1}) ==
        "domain b is to have 49M of accelerator memory, and at most 15M are free");
  CHECK(not_now("b", capacities, {.memory = 48 * mib, .only = 1}) ==
        "domain b is to have 48M of accelerator memory, and at most 8M are free on its accelerator 1");
  CHECK(not_now("b", capacities, time(0.5)) ==
        "domain b is to have 0.500 of an accelerator's time, and at most 0.250 are not promised");
  CHECK(not_now("b", capacities, {.slo = 0.5, .only = 1})
            .find("at most 0.000 are not promised on its accelerator 1") != std::string::npos);
  CHECK(never("b", capacities, memory(256)) ==
        "domain b is to have 256M of accelerator memory, and there is no "
        "more than 128M: set memory= to that or less");
  CHECK(never("b", capacities, {.memory = 128 * mib, .only = 0})
            .find("no more than 64M on its accelerator 0") != std::string::npos);
  CHECK(never("b", capacities, time(1.5)).find("set slo= to 1 or less") != std::string::npos);
}

TEST_CASE("a context that does not fit: into the share, or into what is left of it") {
  CHECK(no_room_for_context("d", 256 * mib, 256 * mib, 512 * mib) ==
        "domain d's share of 256M of accelerator memory is smaller than a context on this GPU (512M): give "
        "it more "
        "memory");
  CHECK(no_room_for_context("d", 800 * mib, 100 * mib, 512 * mib) ==
        "domain d has 100M of accelerator memory left, and a context on this GPU takes 512M: end one of its "
        "programs, or give it more memory");
}
