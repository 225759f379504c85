// SPDX-License-Identifier: Apache-2.0
// The fuzzers are built with clang. This test runs the lane loops as the product's compiler builds them.
#include "tests/fuzz/exec_twins.h"

#include "tests/fuzz/ptx_generator.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

using namespace pegasus::fuzz;

TEST_CASE("generated programs give the same results on every instruction set and when interrupted") {
  constexpr unsigned programs = 250;
  char const* const first = std::getenv("PEGASUS_FIRST_SEED");
  unsigned const from = first != nullptr ? static_cast<unsigned>(std::strtoul(first, nullptr, 10)) : 1;
  Names const names{{"k"}, {"counters"}};
  unsigned ran = 0;
  for (unsigned seed = from; seed < from + programs; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(128 + random() % 1024);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    Input input(bytes.data(), bytes.size());
    Shape const shape{{1 + seed % 3, 1, 1}, {1 + seed % 70, 1, 1}, 64, seed % 2 != 0, seed % 4 < 2};
    INFO("seed " << seed);
    Ending const ending = run_twins(generate_ptx(input), &names, shape, true);
    ran += ending == Ending::completed ? 1 : 0;
  }
  CHECK(ran > programs / 2); // a module that is refused or faults compares little
}
