// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/memory_shares.h"

#include <catch2/catch.hpp>

using pegasus::daemon::memory_shares;
using Bytes = std::vector<std::uint64_t>;

TEST_CASE("who has no limit takes what is free") {
  CHECK(memory_shares(100, Bytes{0, 0}) == Bytes{100, 100});
}

TEST_CASE("a limit is kept free of those without one") {
  CHECK(memory_shares(100, Bytes{0, 30, 0, 50}) == Bytes{20, 30, 20, 50});
  CHECK(memory_shares(100, Bytes{0, 30, 70}) == Bytes{0, 30, 70});
}

TEST_CASE("more than there is promises nothing") {
  CHECK(memory_shares(100, Bytes{0, 60, 70}) == Bytes{100, 60, 70});
  CHECK(memory_shares(100, Bytes{0, 200}) == Bytes{100, 100});
  CHECK(memory_shares(100, Bytes{0, ~0ull, ~0ull}) == Bytes{100, 100, 100});
}
