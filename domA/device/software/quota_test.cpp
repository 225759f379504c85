// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/quota.h"

#include "domA/device/software/account.h"

#include <catch2/catch.hpp>
#include <limits>
#include <thread>
#include <vector>

using namespace pegasus::software;

TEST_CASE("a quota gives all or nothing") {
  Quota quota;
  CHECK_FALSE(quota.charge(0, 1)); // all zero bytes: nothing to give
  CHECK(quota.charge(0, 0));
  quota.limit_bytes = 100;
  CHECK(quota.charge(0, 60));
  CHECK_FALSE(quota.charge(0, 41));
  CHECK_FALSE(quota.charge(0, std::numeric_limits<std::uint64_t>::max())); // no wrap-around
  CHECK(quota.charge(0, 40));
  CHECK(quota.free_bytes() == 0);
  quota.limit_bytes = 50; // lowered below what is used
  CHECK_FALSE(quota.charge(0, 0));
  CHECK(quota.free_bytes() == 0);
  quota.release(0, 70);
  CHECK(quota.free_bytes() == 20);
  quota.release(0, 1000); // more than was ever charged
  CHECK(quota.used_bytes() == 0);
}

TEST_CASE("what a dead seat had booked goes back exactly, the others' stays") {
  Quota quota;
  quota.limit_bytes = 100;
  REQUIRE(quota.charge(3, 60));
  REQUIRE(quota.charge(Quota::seats - 1, 30));
  quota.evict(3);
  CHECK(quota.used_bytes() == 30);
  quota.charged[5] = std::numeric_limits<std::uint64_t>::max(); // a hostile worker's word
  CHECK(quota.free_bytes() == 0);
  quota.evict(5);
  CHECK(quota.free_bytes() == 70);
}

TEST_CASE("racing users never pass the limit and leave nothing behind") {
  Quota quota;
  quota.limit_bytes = 1000;
  std::atomic<std::uint64_t> held{0};
  std::atomic<std::uint32_t> over{0};
  std::atomic<std::uint32_t> refused{0};
  std::vector<std::thread> users;
  for (std::uint64_t user = 0; user < 4; ++user)
    users.emplace_back([&, user] {
      for (std::uint64_t i = 0; i < 20'000; ++i) {
        const std::uint64_t bytes = 200 + (i * 7 + user * 13) % 200; // four of the largest do not fit
        if (!quota.charge(static_cast<std::uint32_t>(user), bytes)) {
          ++refused;
          continue;
        }
        if (held.fetch_add(bytes) + bytes > 1000) ++over;
        if (i % 3 == 0) std::this_thread::yield(); // holding it
        held.fetch_sub(bytes);
        quota.release(static_cast<std::uint32_t>(user), bytes);
      }
    });
  for (auto& user : users)
    user.join();
  CHECK(over == 0);
  CHECK(quota.used_bytes() == 0);
  CHECK(refused < 80'000);
}

TEST_CASE("an account charges both quotas or neither and returns all at its end") {
  Quota domain;
  Quota accelerator;
  domain.limit_bytes = 1000;
  accelerator.limit_bytes = 600;
  {
    Account account(&domain, &accelerator, 7);
    CHECK(account.settle(500));
    CHECK(account.free_bytes() == 100);
    CHECK_FALSE(account.settle(700)); // the accelerator refuses
    CHECK(domain.used_bytes() == 500);
    CHECK(accelerator.used_bytes() == 500);
    CHECK(account.charged() == 500);
    domain.limit_bytes = 510;
    CHECK_FALSE(account.settle(550)); // the domain refuses
    CHECK(accelerator.used_bytes() == 500);
    CHECK(account.settle(200));
    CHECK(domain.used_bytes() == 200);
    CHECK(accelerator.used_bytes() == 200);
  }
  CHECK(domain.used_bytes() == 0);
  CHECK(accelerator.used_bytes() == 0);
  Account unlimited(nullptr, nullptr, 0);
  CHECK(unlimited.settle(std::numeric_limits<std::uint64_t>::max()));
}
