// SPDX-License-Identifier: Apache-2.0
#include "domA/device/shared/engine.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

using namespace pegasus::shared;

namespace {

// A lost wake-up must hang the test instead of costing it a second.
constexpr EngineTuning no_recheck{400, std::chrono::hours{24}};
constexpr EngineTuning sleep_at_once{0, std::chrono::hours{24}};

bool waits(EnginePage const& page, std::uint32_t seat) {
  return (page.waiting[seat / 64].load() >> (seat % 64) & 1) != 0;
}

template <class Condition> void until(Condition condition) {
  while (!condition())
    sched_yield();
}

std::unique_ptr<EnginePage> new_page() { return std::make_unique<EnginePage>(); }

} // namespace

TEST_CASE("a free engine is taken and given back at once") {
  auto const page = new_page();
  EngineSeat seat(page.get(), 1023, no_recheck);
  CHECK(owner(*page) == no_seat);
  CHECK(busy_since(*page).count() == 0);
  seat.acquire();
  CHECK(owner(*page) == 1023);
  CHECK(busy_since(*page).count() > 0);
  CHECK_FALSE(waits(*page, 1023));
  const Nanos present = busy_total(*page);
  const Nanos held = seat.release();
  CHECK(held >= present);
  CHECK(owner(*page) == no_seat);
  CHECK(busy_since(*page).count() == 0);
  CHECK(busy_total(*page) >= held); // the page's clock was read a little later than the seat's
}

TEST_CASE("three seats that always want the engine get it in turn") {
  constexpr std::uint32_t seats[] = {5, 64, 1023}; // one in the first word, one at a word's start, the last
  auto const page = new_page();
  std::vector<std::uint32_t> order; // protected by the engine
  constexpr int turns = 2000;
  auto const worker = [&](std::size_t self) {
    EngineSeat seat(page.get(), seats[self], self == 0 ? no_recheck : sleep_at_once);
    for (int turn = 0; turn < turns; ++turn) {
      seat.acquire();
      order.push_back(seats[self]);
      if (turn < turns - 1) // no other worker has a turn left at the end
        until([&] { return waits(*page, seats[(self + 1) % 3]) && (waits(*page, seats[(self + 2) % 3])); });
      (void)seat.release();
    }
  };
  // Seat 5 goes first; the others queue behind it.
  std::thread first(worker, 0);
  until([&] { return owner(*page) == seats[0]; });
  std::thread second(worker, 1);
  until([&] { return waits(*page, seats[1]); });
  std::thread third(worker, 2);
  first.join();
  second.join();
  third.join();
  REQUIRE(order.size() == 3 * turns);
  std::size_t out_of_turn = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    out_of_turn += order[i] != seats[i % 3] ? 1 : 0;
  CHECK(out_of_turn == 0);
}

TEST_CASE("a hundred thousand handovers lose no wake-up and exclude each other") {
  for (const EngineTuning tuning : {no_recheck, sleep_at_once}) {
    auto const page = new_page();
    constexpr std::uint32_t threads = 4;
    constexpr int turns = 12'500; // 4 threads, 2 tunings
    std::uint64_t inside = 0;     // plain: the engine must order its users
    std::vector<std::thread> workers;
    for (std::uint32_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        EngineSeat seat(page.get(), 100 * i, tuning);
        for (int turn = 0; turn < turns; ++turn) {
          seat.acquire();
          ++inside;
          (void)seat.release();
        }
      });
    for (auto& worker : workers)
      worker.join();
    CHECK(inside == threads * turns);
    CHECK(owner(*page) == no_seat);
    for (auto const& word : page->waiting)
      CHECK(word.load() == 0);
  }
}

TEST_CASE("a seat that queues just as the engine becomes free is not forgotten") {
  auto const page = new_page();
  std::uint64_t inside = 0;
  constexpr int turns = 100'000;
  auto const worker = [&](std::uint32_t self) {
    EngineSeat seat(page.get(), self, sleep_at_once);
    for (int turn = 0; turn < turns; ++turn) {
      for (int gap = (turn * 7 + static_cast<int>(self)) % 97; gap > 0; --gap)
        asm volatile("");
      seat.acquire();
      ++inside;
      (void)seat.release();
    }
  };
  std::thread other(worker, 1);
  worker(0);
  other.join();
  CHECK(inside == 2 * turns);
}

TEST_CASE("evicting the owner passes the engine to the seat that waits next") {
  auto const page = new_page();
  EngineSeat dead(page.get(), 7, no_recheck);
  dead.acquire();
  std::thread waiter([&] {
    EngineSeat seat(page.get(), 3, sleep_at_once);
    seat.acquire();
    (void)seat.release();
  });
  until([&] { return waits(*page, 3); });
  CHECK(evict(*page, 7));
  waiter.join();
  CHECK(owner(*page) == no_seat);
  CHECK(busy_total(*page).count() > 0); // includes the dead worker's hold
}

TEST_CASE("each step at which a worker can die is repaired by its eviction") {
  auto const page = new_page();
  auto const set_waiting = [&](std::uint32_t seat) {
    page->waiting[seat / 64] |= std::uint64_t{1} << (seat % 64);
  };
  auto const generation = std::uint64_t{1} << 16;

  SECTION("after its bit was set") {
    set_waiting(9);
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == no_seat);
  }
  SECTION("after the engine was handed to it") {
    set_waiting(9);
    page->owner = generation | 10;
    CHECK(owner(*page) == 9);
    CHECK(busy_since(*page).count() == 0); // never taken
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == no_seat);
    CHECK(busy_total(*page).count() == 0);
  }
  SECTION("after it freed the engine and before it looked for waiters again") {
    set_waiting(12);
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == 12);
  }
  SECTION("after it gave the engine to a sleeper and before it woke it") {
    std::thread sleeper;
    page->owner = generation | 10; // seat 9 owns
    sleeper = std::thread([&] {
      EngineSeat seat(page.get(), 12, sleep_at_once);
      seat.acquire();
      (void)seat.release();
    });
    until([&] { return page->seat[12].parked == 1; });
    page->seat[12].parked = 0; // reset by the waker that died
    page->owner = 2 * generation | 13;
    CHECK(evict(*page, 9));
    sleeper.join();
    CHECK(owner(*page) == no_seat);
  }
  SECTION("a swap to the dead seat that was prepared before its eviction fails after it") {
    page->owner = generation | 1; // seat 0 owns
    set_waiting(9);
    std::uint64_t seen = page->owner; // seat 0 reads, sees the bit of seat 9, is interrupted
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == 0); // still its own
    CHECK_FALSE(page->owner.compare_exchange_strong(seen, 2 * generation | 10));
  }
}

TEST_CASE("a seat that is alone waits for nobody that the page names, and gives back what it was given") {
  auto const page = new_page();
  EngineSeat other(page.get(), 1, no_recheck);
  other.acquire();
  std::atomic<std::uint32_t> alone{1};
  EngineSeat seat(page.get(), 2, no_recheck, &alone);
  seat.acquire();
  CHECK(owner(*page) == 2);
  (void)seat.release();
  CHECK(owner(*page) == no_seat);
  (void)other.release(); // it no longer owns the engine
  CHECK(owner(*page) == no_seat);
}

TEST_CASE("... also while the page changes without end, whoever it names") {
  for (std::uint64_t const named : {0u, 2u, 3u}) { // free, another, itself
    auto const page = new_page();
    std::atomic<bool> stop{false};
    std::thread hostile([&] {
      for (std::uint64_t change = 1; !stop; ++change)
        page->owner.store(change << 16 | named);
    });
    until([&] { return page->owner.load() >> 16 != 0; });
    std::atomic<std::uint32_t> alone{1};
    EngineSeat seat(page.get(), 2, no_recheck, &alone);
    for (int turn = 0; turn < 100; ++turn) {
      seat.acquire();
      (void)seat.release();
    }
    stop = true;
    hostile.join();
  }
}

TEST_CASE("a seat that waits, and is alone then, goes on") {
  auto const page = new_page();
  EngineSeat other(page.get(), 1, no_recheck);
  other.acquire();
  std::atomic<std::uint32_t> alone{0};
  std::thread waiting([&] {
    EngineSeat seat(page.get(), 2, {0, std::chrono::milliseconds{1}}, &alone);
    seat.acquire();
    (void)seat.release();
  });
  until([&] { return waits(*page, 2); });
  alone = 1;
  waiting.join();
}

TEST_CASE("nonsense in the page reaches nothing outside it") {
  auto const page = new_page();
  EngineSeat seat(page.get(), 0, no_recheck);

  SECTION("an owner that cannot exist is nobody") {
    for (const std::uint64_t word : {std::uint64_t{0xffff}, std::uint64_t{1025}, ~std::uint64_t{0}}) {
      page->owner = word;
      CHECK(owner(*page) == no_seat);
      CHECK(busy_since(*page).count() == 0);
      seat.acquire();
      CHECK(owner(*page) == 0);
      (void)seat.release();
    }
  }
  SECTION("times from the future and from nowhere") {
    seat.acquire();
    page->seat[0].since_ns = ~std::uint64_t{0};
    CHECK(busy_since(*page).count() == 0);
    (void)seat.release();
    CHECK(page->busy_ns == 0);
    page->busy_ns = ~std::uint64_t{0};
    CHECK(busy_total(*page).count() >= 0);
  }
  SECTION("ownership stolen from a holder is left to the thief until that one is evicted") {
    seat.acquire();
    page->owner = 78;
    (void)seat.release();
    CHECK(owner(*page) == 77);
    CHECK(evict(*page, 77)); // the seat may be empty
    CHECK(owner(*page) == no_seat);
  }
  SECTION("bits of seats nobody sits in hold the engine up only until they are evicted") {
    for (auto& word : page->waiting)
      word = ~std::uint64_t{0};
    seat.acquire();
    (void)seat.release();
    for (std::uint32_t i = 1; i < seat_count; ++i)
      CHECK(evict(*page, i));
    CHECK((owner(*page) == no_seat || owner(*page) == 0));
  }
  SECTION("a seat that does not exist cannot be evicted") { CHECK_FALSE(evict(*page, seat_count)); }
  SECTION("an erased waiting bit comes back") {
    EngineSeat holder(page.get(), 1, no_recheck);
    holder.acquire();
    std::thread waiter([&] {
      EngineSeat mine(page.get(), 2, {0, std::chrono::milliseconds{1}});
      mine.acquire();
      (void)mine.release();
    });
    until([&] { return waits(*page, 2); });
    page->waiting[0] = 0;
    until([&] { return waits(*page, 2); });
    (void)holder.release();
    waiter.join();
    CHECK(owner(*page) == no_seat);
  }
}
