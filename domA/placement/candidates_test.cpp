// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/candidates.h"

#include <catch2/catch.hpp>

using namespace pegasus::placement;

namespace {

constexpr AcceleratorState device{.capability = 3, .memory = 1000, .pool = 1000};

} // namespace

TEST_CASE("domains in use are summed on their accelerators") {
  std::vector<AcceleratorState> const accelerators{device, device};
  std::vector<DomainState> const domains{
      {.accelerator = 1, .credits = 256, .slo = 0.25, .activity = 0.5},
      {.accelerator = 1, .credits = 512, .slo = 0.5, .activity = 1, .violated = true},
      {.accelerator = 0, .credits = 100}};
  auto const found = candidates(accelerators, domains);
  REQUIRE(found.size() == 2);
  CHECK(found[0].credits == 100);
  CHECK(found[0].load == 0);
  CHECK_FALSE(found[0].violated);
  CHECK(found[1].credits == 768);
  CHECK(found[1].load == 128 + 512);
  CHECK(found[1].slo == 0.75);
  CHECK(found[1].violated);
  CHECK(found[1].capability == 3);
}

TEST_CASE("a memory limit counts in full, other domains by what they use of the pool") {
  auto const free = [](std::vector<DomainState> const& domains,
                       AcceleratorState const& accelerator = device) {
    return candidates({&accelerator, 1}, domains)[0].free_memory;
  };
  CHECK(free({}) == 1000);
  CHECK(free({{.memory_limit = 300, .memory_used = 10}}) == 700);
  CHECK(free({{.memory_limit = 300, .memory_used = 310}}) == 690); // the limit was lowered
  CHECK(free({{.memory_used = 50}, {.memory_used = 100}}) == 850);
  CHECK(free({{.memory_used = 500}}, {.memory = 1000, .pool = 200}) == 800); // the rest is asked back
  CHECK(free({{.memory_limit = 300}}, {.memory = 1000, .pool = 1000, .used = 900}) == 100);
  CHECK(free({{.memory_limit = 900}, {.memory_limit = ~std::uint64_t{0}}}) == 0);
  CHECK(available({&device, 1}, std::vector<DomainState>{{.slo = 0.5, .memory_limit = 300}})[0].slo == 0.5);
}
