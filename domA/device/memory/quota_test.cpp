// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/account.h"
#include "domA/device/memory/quota_test_fixture.h"

#include <catch2/catch.hpp>
#include <limits>
#include <thread>
#include <vector>

using namespace pegasus::memory;
using test::QuotaMemory;

namespace {

constexpr std::uint64_t all_ones = std::numeric_limits<std::uint64_t>::max();

void lies(Quota const& worker, std::uint64_t bytes) { worker.own->bytes = bytes; }

} // namespace

TEST_CASE("a quota gives all or nothing") {
  QuotaMemory memory(1000);
  Quota const quota = memory.take(0, 1, {});
  CHECK_FALSE(quota.charge(1)); // there is no memory
  CHECK(quota.charge(0));
  memory.books.set(1, {100});
  CHECK(quota.total_bytes() == 100);
  CHECK(quota.charge(60));
  CHECK_FALSE(quota.charge(41));
  CHECK_FALSE(quota.charge(all_ones)); // no wrap-around
  CHECK(quota.charge(40));
  CHECK(quota.free_bytes() == 0);
  memory.books.set(1, {50}); // below the memory in use
  CHECK_FALSE(quota.charge(0));
  CHECK(quota.free_bytes() == 0);
  CHECK(memory.books.used_bytes() == 100); // it is still in use
  quota.release(70);
  CHECK(quota.free_bytes() == 20);
  quota.release(1000); // more than was charged
  CHECK(memory.books.used_bytes() == 0);
}

TEST_CASE("workers of a domain share its limit, and all the accelerator's memory") {
  QuotaMemory memory(100);
  Quota const one = memory.take(0, 7, {80});
  Quota const other = memory.take(64, 7, {80});
  Quota const neighbour = memory.take(1, 8, {80});
  CHECK(one.charge(50));
  CHECK(memory.books.free_bytes(64) == 30);
  CHECK(memory.books.free_bytes(1) == 50);
  CHECK_FALSE(other.charge(31));
  CHECK(other.charge(30));
  CHECK(memory.books.used_bytes(7) == 80);
  CHECK_FALSE(neighbour.charge(21)); // within its limit, but the accelerator is full
  CHECK(neighbour.free_bytes() == 20);
  CHECK(neighbour.charge(20));
  CHECK(memory.books.used_bytes() == 100);
}

TEST_CASE("what a dead worker had claimed goes back exactly, the others' stays") {
  QuotaMemory memory(100);
  Quota const dead = memory.take(3, 1, {100});
  Quota const lives = memory.take(pegasus::shared::slot_count - 1, 1, {100});
  REQUIRE(dead.charge(60));
  REQUIRE(lives.charge(30));
  memory.books.leave(3);
  CHECK(memory.books.used_bytes() == 30);
  CHECK(memory.books.used_bytes(1) == 30);
  Quota const next = memory.take(3, 2, {100});
  CHECK(memory.books.used_bytes(2) == 0);
  CHECK(next.charge(70));
}

// Domains come and go: the entry of a domain that left is given to another.
TEST_CASE("a domain inherits nothing of one that left") {
  QuotaMemory memory(1000);
  Quota const first = memory.take(0, 1, {900});
  Quota const stays = memory.take(1, 2, {50});
  REQUIRE(first.charge(900));
  memory.books.leave(0);
  Quota const second = memory.take(2, 3, {100});
  lies(second, all_ones);
  CHECK(memory.books.used_bytes(3) == 100);
  CHECK(stays.charge(50));
  CHECK(memory.books.used_bytes(2) == 50);
}

TEST_CASE("a worker that lies is believed what its domain could have taken") {
  QuotaMemory memory(100);
  Quota const liar = memory.take(0, 1, {40});
  Quota const sibling = memory.take(1, 1, {40});
  Quota const neighbour = memory.take(2, 2, {60});
  lies(liar, all_ones);
  CHECK_FALSE(sibling.charge(1)); // its own domain is affected
  CHECK(neighbour.charge(60));    // no other domain is
  CHECK(memory.books.used_bytes() == 100);
  memory.books.set(1, {20}); // and no more than its earlier limit
  CHECK(memory.books.used_bytes(1) == 40);
  memory.books.leave(0);
  CHECK(sibling.charge(20));
}

TEST_CASE("domains without a limit share what the limits leave, and no more") {
  QuotaMemory memory(100);
  QuotaBooks::Share const rest{.bytes = 30, .pooled = true};
  Quota const one = memory.take(0, 1, rest);
  Quota const other = memory.take(1, 2, rest);
  Quota const promised = memory.take(2, 3, {70});
  CHECK(one.charge(20));
  CHECK(other.free_bytes() == 10);
  CHECK_FALSE(other.charge(11));
  CHECK(other.charge(10));
  CHECK(promised.charge(70));
}

TEST_CASE("a program learns of others' use of memory nothing, or little where they share a limit") {
  QuotaMemory memory(6400);
  REQUIRE(Quota::grain(6400) == 64);
  QuotaBooks::Share const rest{.bytes = 3200, .pooled = true};
  Quota const one = memory.take(0, 1, rest);
  Quota const other = memory.take(1, 2, rest);
  Quota const limited = memory.take(2, 3, {3200});
  CHECK(one.charge(7));
  CHECK(one.told_free_bytes() == 3193); // alone in the pool: exactly
  CHECK(limited.told_free_bytes() == 3200);
  for (std::uint64_t const more : {std::uint64_t{1}, std::uint64_t{63}}) { // 64 together
    CHECK(other.charge(more));
    CHECK(one.told_free_bytes() == 3193 - 64);
    CHECK(limited.told_free_bytes() == 3200);
  }
  CHECK(limited.charge(200));
  CHECK(limited.told_free_bytes() == 3000);
  CHECK(one.told_free_bytes() == 3193 - 64);
  CHECK(one.told_free_bytes(2000) == 1984); // others' contexts, which no claim shows
}

TEST_CASE("who is refused memory is told whose limit it is, and nothing of what others use") {
  constexpr std::uint64_t MiB = 1 << 20;
  QuotaMemory memory(100 * MiB);
  Quota const limited = memory.take(0, 1, {40 * MiB});
  Quota const one = memory.take(1, 2, {.bytes = 60 * MiB, .pooled = true});
  Quota const other = memory.take(2, 3, {.bytes = 60 * MiB, .pooled = true});
  REQUIRE(limited.charge(30 * MiB));
  REQUIRE(other.charge(50 * MiB));
  CHECK(limited.why_refused(10 * MiB).empty());
  CHECK(limited.why_refused(11 * MiB) == "out of memory: the program asks for 11.0 MiB, and has 10.0 MiB of "
                                         "its domain's limit of 40.0 MiB left; "
                                         "pegasusctl set DOMAIN memory=SIZE changes it");
  CHECK(one.why_refused(11 * MiB) ==
        "out of memory: the program asks for 11.0 MiB, and less is left of what other domains' limits do not "
        "keep; "
        "a limit of its own keeps memory for a domain: pegasusctl set DOMAIN memory=SIZE");
  QuotaMemory small(10 * MiB);
  Quota const promised_more = small.take(0, 1, {40 * MiB});
  CHECK(promised_more.why_refused(11 * MiB) == "out of memory: the program asks for 11.0 MiB, and the "
                                               "accelerator has less left of its 10.0 MiB for all "
                                               "domains together (pegasusd --memory)");
  CHECK(Quota{}.why_refused(1).empty());
}

TEST_CASE("what was taken before a limit was set counts until it is given back") {
  QuotaMemory memory(100);
  Quota const one = memory.take(0, 1, {.bytes = 100, .pooled = true});
  Quota const other = memory.take(1, 2, {.bytes = 100, .pooled = true});
  REQUIRE(one.charge(50));
  REQUIRE(other.charge(40));
  for (std::uint32_t const domain : {1u, 2u})
    memory.books.set(domain, {.bytes = 30, .pooled = true});
  Quota const promised = memory.take(2, 3, {70});
  CHECK(memory.books.used_bytes() == 90);
  CHECK_FALSE(promised.charge(11)); // not free yet
  one.release(50);
  other.release(30);
  CHECK(promised.charge(70));
}

TEST_CASE("liars that share what no limit leaves do not reach what was promised") {
  QuotaMemory memory(100);
  QuotaBooks::Share const rest{.bytes = 30, .pooled = true};
  Quota const honest = memory.take(0, 1, rest);
  Quota const one = memory.take(1, 2, rest);
  Quota const other = memory.take(2, 3, rest);
  Quota const promised = memory.take(3, 4, {70});
  REQUIRE(honest.charge(10));
  lies(one, all_ones);
  lies(other, 30);
  CHECK(memory.books.used_bytes() == 30);
  CHECK(promised.charge(70));
}

TEST_CASE("racing workers never pass the limit and leave nothing behind") {
  QuotaMemory memory(2000);
  std::atomic<std::uint64_t> held{0};
  std::atomic<std::uint32_t> over{0};
  std::atomic<std::uint32_t> refused{0};
  std::vector<Quota> quotas;
  for (std::uint32_t slot = 0; slot < 4; ++slot)
    quotas.push_back(memory.take(slot, 1, {1000}));
  std::vector<std::thread> workers;
  for (Quota const& quota : quotas)
    workers.emplace_back([&] {
      for (std::uint64_t i = 0; i < 5'000; ++i) {
        std::uint64_t const bytes = 200 + (i * 7 + quota.slot * 13) % 200; // four of the largest do not fit
        if (!quota.charge(bytes)) {
          ++refused;
          continue;
        }
        if (held.fetch_add(bytes) + bytes > 1000) ++over;
        if (i % 3 == 0) std::this_thread::yield(); // while holding it
        held.fetch_sub(bytes);
        quota.release(bytes);
      }
    });
  for (auto& worker : workers)
    worker.join();
  CHECK(over == 0);
  CHECK(memory.books.used_bytes() == 0);
  CHECK(refused < 20'000);
}

TEST_CASE("an account charges what its context has, and returns all at its end") {
  QuotaMemory memory(600);
  Quota const quota = memory.take(7, 1, {1000});
  {
    Account account(quota);
    CHECK(account.charge(500));
    CHECK(quota.free_bytes() == 100);
    CHECK_FALSE(account.charge(700)); // refused: unchanged
    CHECK(memory.books.used_bytes() == 500);
    CHECK(account.charged() == 500);
    CHECK(account.charge(200));
    CHECK(memory.books.used_bytes() == 200);
  }
  CHECK(memory.books.used_bytes() == 0);
  Account unlimited{Quota{}};
  CHECK(unlimited.charge(all_ones));
}
