// SPDX-License-Identifier: Apache-2.0
#include "domA/device/shared/engine.h"

#include "domA/device/shared/clock.h"

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

bool waits(EnginePage const& page, std::uint32_t slot) {
  return (page.waiting[slot / 64].load() >> (slot % 64) & 1) != 0;
}

template <class Condition> void until(Condition condition) {
  while (!condition())
    sched_yield();
}

std::unique_ptr<EnginePage> new_page() { return std::make_unique<EnginePage>(); }

} // namespace

TEST_CASE("a free engine is taken and given back at once") {
  auto const page = new_page();
  EngineClient slot(page.get(), 1023, no_recheck);
  CHECK(owner(*page) == no_slot);
  CHECK(busy_since(*page).count() == 0);
  slot.acquire();
  CHECK(owner(*page) == 1023);
  CHECK(busy_since(*page).count() > 0);
  CHECK_FALSE(waits(*page, 1023));
  Nanos const present = busy_total(*page);
  Nanos const held = slot.release();
  CHECK(held >= present);
  CHECK(owner(*page) == no_slot);
  CHECK(busy_since(*page).count() == 0);
  CHECK(busy_total(*page) >= held); // the page's clock was read a little later than the slot's
}

TEST_CASE(
    "a change of the owner costs what it is to cost, charged to no owner, also after an owner's death") {
  constexpr Nanos cost = std::chrono::milliseconds(2);
  auto const page = new_page();
  EngineClient first(page.get(), 0, {.switch_cost = cost});
  EngineClient second(page.get(), 1, {.switch_cost = cost});
  auto const take = [](EngineClient& slot) { // how long it takes to get the engine, and how long it is held
    Nanos const before = device_now();
    slot.acquire();
    Nanos const waited = device_now() - before;
    return std::pair(waited, slot.release());
  };
  CHECK(take(first).first >= cost);
  CHECK(switches(*page).count == 1);
  take(first);
  CHECK(switches(*page).count == 1); // it was the last owner
  auto const [waited, held] = take(second);
  CHECK(waited >= cost);
  CHECK(switches(*page).count == 2);
  CHECK(switches(*page).time >= 2 * cost);
  CHECK(busy_total(*page) < switches(*page).time);
  REQUIRE(evict(*page, 1)); // the next one in that slot is another context
  CHECK(take(second).first >= cost);
  CHECK(switches(*page).count == 3);
}

TEST_CASE("three slots that always want the engine get it in turn") {
  constexpr std::uint32_t slots[] = {5, 64, 1023}; // one in the first word, one at a word's start, the last
  auto const page = new_page();
  std::vector<std::uint32_t> order; // protected by the engine
  constexpr int rounds = 2000;
  auto const worker = [&](std::size_t self) {
    EngineClient slot(page.get(), slots[self], self == 0 ? no_recheck : sleep_at_once);
    for (int round = 0; round < rounds; ++round) {
      slot.acquire();
      order.push_back(slots[self]);
      if (round < rounds - 1) // no other worker takes the engine again
        until([&] { return waits(*page, slots[(self + 1) % 3]) && (waits(*page, slots[(self + 2) % 3])); });
      (void)slot.release();
    }
  };
  // Slot 5 goes first; the others queue behind it.
  std::thread first(worker, 0);
  until([&] { return owner(*page) == slots[0]; });
  std::thread second(worker, 1);
  until([&] { return waits(*page, slots[1]); });
  std::thread third(worker, 2);
  first.join();
  second.join();
  third.join();
  REQUIRE(order.size() == 3 * rounds);
  std::size_t out_of_turn = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    out_of_turn += order[i] != slots[i % 3] ? 1 : 0;
  CHECK(out_of_turn == 0);
}

TEST_CASE("a hundred thousand handovers lose no wake-up and exclude each other") {
  for (EngineTuning const tuning : {no_recheck, sleep_at_once}) {
    auto const page = new_page();
    constexpr std::uint32_t threads = 4;
    constexpr int rounds = 12'500; // 4 threads, 2 tunings
    std::uint64_t inside = 0;      // plain: the engine must order its users
    std::vector<std::thread> workers;
    for (std::uint32_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        EngineClient slot(page.get(), 100 * i, tuning);
        for (int round = 0; round < rounds; ++round) {
          slot.acquire();
          ++inside;
          (void)slot.release();
        }
      });
    for (auto& worker : workers)
      worker.join();
    CHECK(inside == threads * rounds);
    CHECK(owner(*page) == no_slot);
    for (auto const& word : page->waiting)
      CHECK(word.load() == 0);
  }
}

TEST_CASE("a slot that queues just as the engine becomes free is not forgotten") {
  auto const page = new_page();
  std::uint64_t inside = 0;
  constexpr int rounds = 100'000;
  auto const worker = [&](std::uint32_t self) {
    EngineClient slot(page.get(), self, sleep_at_once);
    for (int round = 0; round < rounds; ++round) {
      for (int gap = (round * 7 + static_cast<int>(self)) % 97; gap > 0; --gap)
        asm volatile("");
      slot.acquire();
      ++inside;
      (void)slot.release();
    }
  };
  std::thread other(worker, 1);
  worker(0);
  other.join();
  CHECK(inside == 2 * rounds);
}

TEST_CASE("evicting the owner passes the engine to the slot that waits next") {
  auto const page = new_page();
  EngineClient dead(page.get(), 7, no_recheck);
  dead.acquire();
  std::thread waiter([&] {
    EngineClient slot(page.get(), 3, sleep_at_once);
    slot.acquire();
    (void)slot.release();
  });
  until([&] { return waits(*page, 3); });
  CHECK(evict(*page, 7));
  waiter.join();
  CHECK(owner(*page) == no_slot);
  CHECK(busy_total(*page).count() > 0); // includes the dead worker's hold
}

TEST_CASE("each step at which a worker can die is repaired by its eviction") {
  auto const page = new_page();
  auto const set_waiting = [&](std::uint32_t slot) {
    page->waiting[slot / 64] |= std::uint64_t{1} << (slot % 64);
  };
  auto const generation = std::uint64_t{1} << 16;

  SECTION("after its bit was set") {
    set_waiting(9);
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == no_slot);
  }
  SECTION("after the engine was handed to it") {
    set_waiting(9);
    page->owner = generation | 10;
    CHECK(owner(*page) == 9);
    CHECK(busy_since(*page).count() == 0); // never taken
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == no_slot);
    CHECK(busy_total(*page).count() == 0);
  }
  SECTION("after it freed the engine and before it looked for waiters again") {
    set_waiting(12);
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == 12);
  }
  SECTION("after it gave the engine to a sleeper and before it woke it") {
    std::thread sleeper;
    page->owner = generation | 10; // slot 9 owns
    sleeper = std::thread([&] {
      EngineClient slot(page.get(), 12, sleep_at_once);
      slot.acquire();
      (void)slot.release();
    });
    until([&] { return page->slot[12].parked == 1; });
    page->slot[12].parked = 0; // reset by the waker that died
    page->owner = 2 * generation | 13;
    CHECK(evict(*page, 9));
    sleeper.join();
    CHECK(owner(*page) == no_slot);
  }
  SECTION("a swap to the dead slot that was prepared before its eviction fails after it") {
    page->owner = generation | 1; // slot 0 owns
    set_waiting(9);
    std::uint64_t seen = page->owner; // slot 0 reads, sees the bit of slot 9, is interrupted
    CHECK(evict(*page, 9));
    CHECK(owner(*page) == 0); // still its own
    CHECK_FALSE(page->owner.compare_exchange_strong(seen, 2 * generation | 10));
  }
}

TEST_CASE("a slot that is alone waits for no slot that the page names, and gives back what it was given") {
  auto const page = new_page();
  EngineClient other(page.get(), 1, no_recheck);
  other.acquire();
  std::atomic<std::uint32_t> alone{1};
  EngineClient slot(page.get(), 2, no_recheck, &alone);
  slot.acquire();
  CHECK(owner(*page) == 2);
  (void)slot.release();
  CHECK(owner(*page) == no_slot);
  (void)other.release(); // it no longer owns the engine
  CHECK(owner(*page) == no_slot);
}

TEST_CASE("... also while the page changes without end, whatever it names") {
  for (std::uint64_t const named : {0u, 2u, 3u}) { // free, another, itself
    auto const page = new_page();
    std::atomic<bool> stop{false};
    std::thread hostile([&] {
      for (std::uint64_t change = 1; !stop; ++change)
        page->owner.store(change << 16 | named);
    });
    until([&] { return page->owner.load() >> 16 != 0; });
    std::atomic<std::uint32_t> alone{1};
    EngineClient slot(page.get(), 2, no_recheck, &alone);
    for (int round = 0; round < 100; ++round) {
      slot.acquire();
      (void)slot.release();
    }
    stop = true;
    hostile.join();
  }
}

TEST_CASE("a slot that waits, and is alone then, goes on") {
  auto const page = new_page();
  EngineClient other(page.get(), 1, no_recheck);
  other.acquire();
  std::atomic<std::uint32_t> alone{0};
  std::thread waiting([&] {
    EngineClient slot(page.get(), 2, {0, std::chrono::milliseconds{1}}, &alone);
    slot.acquire();
    (void)slot.release();
  });
  until([&] { return waits(*page, 2); });
  alone = 1;
  waiting.join();
}

TEST_CASE("nonsense in the page reaches nothing outside it") {
  auto const page = new_page();
  EngineClient slot(page.get(), 0, no_recheck);

  SECTION("an owner that cannot exist counts as none") {
    for (std::uint64_t const word : {std::uint64_t{0xffff}, std::uint64_t{1025}, ~std::uint64_t{0}}) {
      page->owner = word;
      CHECK(owner(*page) == no_slot);
      CHECK(busy_since(*page).count() == 0);
      slot.acquire();
      CHECK(owner(*page) == 0);
      (void)slot.release();
    }
  }
  SECTION("times from the future and from nowhere") {
    slot.acquire();
    page->slot[0].since_ns = ~std::uint64_t{0};
    CHECK(busy_since(*page).count() == 0);
    (void)slot.release();
    CHECK(page->busy_ns == 0);
    page->busy_ns = ~std::uint64_t{0};
    CHECK(busy_total(*page).count() >= 0);
  }
  SECTION("ownership stolen from a holder is left to the thief until that one is evicted") {
    slot.acquire();
    page->owner = 78;
    (void)slot.release();
    CHECK(owner(*page) == 77);
    CHECK(evict(*page, 77)); // the slot may be empty
    CHECK(owner(*page) == no_slot);
  }
  SECTION("bits of slots without a worker hold the engine up only until they are evicted") {
    for (auto& word : page->waiting)
      word = ~std::uint64_t{0};
    slot.acquire();
    (void)slot.release();
    for (std::uint32_t i = 1; i < slot_count; ++i)
      CHECK(evict(*page, i));
    CHECK((owner(*page) == no_slot || owner(*page) == 0));
  }
  SECTION("a slot that does not exist cannot be evicted") { CHECK_FALSE(evict(*page, slot_count)); }
  SECTION("an erased waiting bit comes back") {
    EngineClient holder(page.get(), 1, no_recheck);
    holder.acquire();
    std::thread waiter([&] {
      EngineClient mine(page.get(), 2, {0, std::chrono::milliseconds{1}});
      mine.acquire();
      (void)mine.release();
    });
    until([&] { return waits(*page, 2); });
    page->waiting[0] = 0;
    until([&] { return waits(*page, 2); });
    (void)holder.release();
    waiter.join();
    CHECK(owner(*page) == no_slot);
  }
}
