// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/selection.h"

#include "domA/device/attributes.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace pegasus::placement;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

Candidate idle() { return {.capability = 100, .free_memory = 8 * gib}; }

} // namespace

TEST_CASE("equal accelerators are filled in turn, of equals the first") {
  std::vector<Candidate> all(3, idle());
  std::vector<std::size_t> chosen;
  for (int domain = 0; domain < 6; ++domain) {
    chosen.push_back(select_accelerator(all, {.credits = 256}));
    all[chosen.back()].load += 256;
  }
  CHECK(chosen == std::vector<std::size_t>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("credits count, not the number of domains") {
  std::vector<Candidate> all(2, idle());
  all[0].load = 1024; // one large domain
  all[1].load = 2 * 256;
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE(
    "an accelerator without free memory suits nobody, however little they ask for and however idle it is") {
  std::vector<Candidate> all(2, idle());
  all[0].free_memory = 0;
  all[1].load = 1024;
  CHECK(select_accelerator(all, {.credits = 256, .memory = 0}) == 1);
}

TEST_CASE("of equal credits those that are at work count") {
  using namespace std::chrono_literals;
  std::vector<Candidate> all(2, idle());
  all[0].credits = all[1].credits = 512;
  all[0].load = 512 * activity(0.5, 60s);
  all[1].load = 512 * activity(0.1, 60s);
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
  all[1].credits = 65535; // promised to a domain that does nothing
  all[1].load = 65535 * activity(0, 10min);
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE("a new domain counts in full until its demand is known") {
  using namespace std::chrono_literals;
  CHECK(activity(0, 0s) == 1);
  CHECK(activity(0, 10s) == Approx(std::exp(-1)));
  CHECK(activity(0, 100s) < 0.001);
  CHECK(activity(0.8, 100s) == Approx(0.8));
  CHECK(activity(0.1, 1s) > 0.9);
  CHECK(activity(1, 100s) == 1);
}

TEST_CASE("a faster accelerator takes more before a slower one is used") {
  std::vector<Candidate> all(2, idle());
  all[1].capability = 300;
  std::vector<std::size_t> chosen;
  for (int domain = 0; domain < 4; ++domain) {
    chosen.push_back(select_accelerator(all, {.credits = 256}));
    all[chosen.back()].load += 256;
  }
  CHECK(chosen == std::vector<std::size_t>{1, 1, 0, 1});
}

TEST_CASE("an accelerator without the memory is the last resort, before one that fails") {
  std::vector<Candidate> all(2, idle());
  all[0].free_memory = gib;
  all[1].load = 4096;
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
  all[2].load = 256;
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE("the explanation covers each candidate") {
  std::vector<Candidate> all(4, idle());
  all[0].credits = 512;
  all[0].load = 256;
  all[1].free_memory = gib;
  all[2].violated = true;
  all[3].failing = true;
  PlacementRequest const request{.credits = 256, .memory = 2 * gib};
  CHECK(select_accelerator(all, request) == 0);
  CHECK(explain_selection(all, request) ==
        "0: weight 0.50, 256 of 512 credits at work; 1: weight 1.00, too little memory is free; "
        "2: weight 1.00, SLOs would be missed; 3: weight 1.00, it failed recently");
}

TEST_CASE("new domains go where SLOs can still be kept") {
  std::vector<Candidate> all(2, idle());
  all[0].slo = 0.7;
  all[1].load = 1024;
  CHECK(select_accelerator(all, {.credits = 256, .slo = 0.4}) == 1);
  CHECK(select_accelerator(all, {.credits = 256, .slo = 0.3}) == 0);
  CHECK(select_accelerator(all, {.credits = 256}) == 0);
  all[0].violated = true;
  CHECK(select_accelerator(all, {.credits = 256}) == 1);
}

TEST_CASE("what an accelerator can do comes from its profile") {
  using namespace pegasus::device::attribute;
  pegasus::device::Profile small, large;
  small.attribute[clock_khz] = large.attribute[clock_khz] = 1'500'000;
  small.attribute[threads_per_multiprocessor] = large.attribute[threads_per_multiprocessor] = 2048;
  small.attribute[multiprocessors] = 20;
  large.attribute[multiprocessors] = 132;
  CHECK(capability(large) / capability(small) == Approx(6.6));
  CHECK(capability({}) > 0); // a profile without these attributes
}
