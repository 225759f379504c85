// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/selection.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace pegasus::daemon;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

Candidate idle() { return {.capability = 100, .free_memory = 8 * gib}; }

} // namespace

TEST_CASE("equal accelerators are filled in turn, of equals the first") {
  std::vector<Candidate> all(3, idle());
  std::vector<std::size_t> chosen;
  for (int domain = 0; domain < 6; ++domain) {
    chosen.push_back(select_accelerator(all, {.credits = 256}));
    all[chosen.back()].credits += 256;
  }
  CHECK(chosen == std::vector<std::size_t>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("credits count, not the number of domains") {
  std::vector<Candidate> all(2, idle());
  all[0].credits = 1024; // one large domain
  all[1].credits = 2 * 256;
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE("a faster accelerator takes more before a slower one is used") {
  std::vector<Candidate> all(2, idle());
  all[1].capability = 300;
  std::vector<std::size_t> chosen;
  for (int domain = 0; domain < 4; ++domain) {
    chosen.push_back(select_accelerator(all, {.credits = 256}));
    all[chosen.back()].credits += 256;
  }
  CHECK(chosen == std::vector<std::size_t>{1, 1, 0, 1});
}

TEST_CASE("an accelerator without the memory is the last resort, before one that fails") {
  std::vector<Candidate> all(2, idle());
  all[0].free_memory = gib;
  all[1].credits = 4096;
  CHECK(select_accelerator(all, {.credits = 256, .memory = 2 * gib}) == 1);
  CHECK(select_accelerator(all, {.credits = 256, .memory = gib}) == 0);
  all[1].failing = true;
  CHECK(select_accelerator(all, {.credits = 256, .memory = 2 * gib}) == 0);
}

TEST_CASE("a domain without a limit goes where memory is left, of equals where there is most") {
  std::vector<Candidate> all(3, idle());
  all[0].free_memory = 0;
  all[1].free_memory = gib;
  CHECK(select_accelerator(all, {.credits = 256}) == 2);
  all[2].credits = 256;
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE("an operator is told what was found of each") {
  std::vector<Candidate> all(4, idle());
  all[0].credits = 256;
  all[1].free_memory = gib;
  all[2].violated = true;
  all[3].failing = true;
  Wish const wish{.credits = 256, .memory = 2 * gib};
  CHECK(select_accelerator(all, wish) == 0);
  CHECK(explain_selection(all, wish) ==
        "0: weight 0.50; 1: weight 1.00, too little memory is free; "
        "2: weight 1.00, SLOs would be missed; 3: weight 1.00, it failed lately");
}

TEST_CASE("new domains go where SLOs can still be kept") {
  std::vector<Candidate> all(2, idle());
  all[0].slo = 0.7;
  all[1].credits = 1024;
  CHECK(select_accelerator(all, {.credits = 256, .slo = 0.4}) == 1);
  CHECK(select_accelerator(all, {.credits = 256, .slo = 0.3}) == 0);
  CHECK(select_accelerator(all, {.credits = 256}) == 0);
  all[0].violated = true;
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE("what an accelerator can do comes from its profile") {
  pegasus::device::Profile small, large;
  small.attribute[13] = large.attribute[13] = 1'500'000;
  small.attribute[39] = large.attribute[39] = 2048;
  small.attribute[16] = 20;
  large.attribute[16] = 132;
  CHECK(capability(large) / capability(small) == Approx(6.6));
  CHECK(capability({}) > 0); // one that does not say
}
