// SPDX-License-Identifier: Apache-2.0
#include "domA/device/shared/engine.h"

#include "domA/device/shared/clock.h"
#include "domA/device/shared/engine_order.h"
#include "domA/device/shared/testing/engine.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <sched.h>
#include <thread>
#include <vector>

using namespace pegasus::shared;
using pegasus::shared::testing::Engine;
using namespace std::chrono_literals;

namespace {

// A lost wake-up must hang the test instead of costing it some milliseconds.
constexpr EngineTuning no_recheck{400, 24h};
constexpr EngineTuning sleep_at_once{0, 24h};

template <class Condition> void until(Condition condition) {
  while (!condition())
    sched_yield();
}

} // namespace

TEST_CASE("a free engine is taken and given back at once") {
  Engine engine{1023};
  EngineClient slot = engine.client(1023, no_recheck);
  CHECK(engine.admission.first() == std::nullopt);
  Nanos const before = device_now();
  slot.acquire();
  CHECK(engine.admission.first() == 1023u);
  Nanos const held = slot.release();
  CHECK(held > 0ns);
  CHECK(held <= device_now() - before);
  CHECK(engine.admission.first() == std::nullopt);
}

TEST_CASE(
    "a change of the owner costs what it is to cost, charged to no owner, also after an owner's death") {
  constexpr Nanos cost = 2ms;
  Engine engine{0, 1};
  EngineClient first = engine.client(0, {.switch_cost = cost});
  EngineClient second = engine.client(1, {.switch_cost = cost});
  Nanos held{0};
  auto const take = [&](EngineClient& slot) { // how long it takes to get the engine
    Nanos const before = device_now();
    slot.acquire();
    Nanos const waited = device_now() - before;
    held += slot.release();
    return waited;
  };
  auto const switches = [&] { return engine.admission.switches(); };
  CHECK(take(first) >= cost);
  CHECK(switches().count == 1);
  (void)take(first);
  CHECK(switches().count == 1); // it was the last owner
  CHECK(take(second) >= cost);
  CHECK(switches().count == 2);
  CHECK(switches().time >= 2 * cost);
  CHECK(held < switches().time);
  engine.admission.leave(1); // the next one in that slot is another context
  CHECK(switches().count == 2);
  engine.admission.admit(1);
  CHECK(take(second) >= cost);
  CHECK(switches().count == 3);
}

TEST_CASE("three slots that always want the engine get it in turn") {
  constexpr std::uint32_t slots[] = {5, 64, 1023}; // one in the first word, one at a word's start, the last
  Engine engine{5, 64, 1023};
  std::vector<std::uint32_t> order; // protected by the engine
  constexpr int rounds = 2000;
  auto const worker = [&](std::size_t self) {
    EngineClient slot = engine.client(slots[self], self == 0 ? no_recheck : sleep_at_once);
    for (int round = 0; round < rounds; ++round) {
      slot.acquire();
      order.push_back(slots[self]);
      if (round < rounds - 1) // no other worker takes the engine again
        until([&] {
          return engine.has_ticket(slots[(self + 1) % 3]) && engine.has_ticket(slots[(self + 2) % 3]);
        });
      (void)slot.release();
    }
  };
  // Slot 5 goes first; the others queue behind it.
  std::thread first(worker, 0);
  until([&] { return engine.has_ticket(slots[0]); });
  std::thread second(worker, 1);
  until([&] { return engine.has_ticket(slots[1]); });
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
    Engine engine{0, 100, 200, 300};
    constexpr std::uint32_t threads = 4;
    constexpr int rounds = 12'500; // 4 threads, 2 tunings
    std::uint64_t inside = 0;      // plain: the engine must order its users
    std::vector<std::thread> workers;
    for (std::uint32_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        EngineClient slot = engine.client(100 * i, tuning);
        for (int round = 0; round < rounds; ++round) {
          slot.acquire();
          ++inside;
          (void)slot.release();
        }
      });
    for (auto& worker : workers)
      worker.join();
    CHECK(inside == threads * rounds);
    CHECK(engine.admission.first() == std::nullopt);
  }
}

TEST_CASE("a slot that comes just as the engine becomes free is not forgotten") {
  Engine engine{0, 1};
  std::uint64_t inside = 0;
  constexpr int rounds = 100'000;
  auto const worker = [&](std::uint32_t self) {
    EngineClient slot = engine.client(self, sleep_at_once);
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

TEST_CASE("each step at which a worker can die is repaired when its slot is freed") {
  Engine engine{3, 7};
  std::uint64_t const before = 2; // any time before now
  auto const dies = [&] { engine.admission.leave(7); };
  auto const other_gets_it = [&] {
    std::thread waiter([&] {
      EngineClient slot = engine.client(3, sleep_at_once);
      slot.acquire();
      (void)slot.release();
    });
    until([&] { return engine.place(3).sleeps == 1; });
    dies();
    waiter.join();
    return engine.admission.first() == std::nullopt;
  };
  SECTION("with its ticket, waiting or as the owner") {
    engine.place(7).ticket = before;
    CHECK(other_gets_it());
  }
  SECTION("while it takes a ticket") {
    engine.place(7).ticket = taking_ticket;
    std::thread waiter([&] {
      EngineClient slot = engine.client(3, sleep_at_once);
      slot.acquire();
      (void)slot.release();
    });
    until([&] { return engine.has_ticket(3); });
    dies();
    waiter.join();
  }
  SECTION("after it left the line and before it woke the next") {
    engine.place(7).ticket = before;
    std::thread waiter([&] {
      EngineClient slot = engine.client(3, sleep_at_once);
      slot.acquire();
      (void)slot.release();
    });
    until([&] { return engine.place(3).sleeps == 1; });
    engine.place(7).ticket = 0;
    dies();
    waiter.join();
  }
}

TEST_CASE("who is not admitted is not in the line") {
  Engine engine{1, 2};
  engine.place(1).ticket = 2;
  EngineTuning const soon{0, 1ms};
  SECTION("before another comes") {
    engine.admission.dismiss(1);
    EngineClient slot = engine.client(2, no_recheck);
    slot.acquire();
    CHECK(engine.admission.first() == 2u);
    (void)slot.release();
  }
  SECTION("when another sleeps behind it") {
    std::thread waiting([&] {
      EngineClient slot = engine.client(2, soon);
      slot.acquire();
      (void)slot.release();
    });
    until([&] { return engine.place(2).sleeps == 1; });
    CHECK(engine.admission.first() == 1u);
    engine.admission.dismiss(1);
    waiting.join();
  }
}

TEST_CASE("who waits looks at its gate when its turn comes, and queues again when it was closed") {
  struct Gate final : EngineGate {
    std::atomic<int> left{0}, tried{0}, waited{0};
    void off_device() override { ++left; }
    bool may_wait() override { return true; }
    bool may_enter() override { return ++tried > 1; } // it was closed at the first time
    void wait_until_open() override { ++waited; }
  } gate;
  Engine engine{1, 2};
  EngineClient holder = engine.client(1, no_recheck);
  EngineClient slot = engine.client(2, sleep_at_once, &gate);
  slot.acquire(); // alone
  (void)slot.release();
  CHECK(gate.left == 0);
  holder.acquire();
  std::thread waiting([&] { slot.acquire(); });
  until([&] { return engine.place(2).sleeps == 1; });
  CHECK(gate.left == 1);
  CHECK(gate.tried == 0);
  (void)holder.release();
  waiting.join();
  CHECK(gate.tried == 1);
  CHECK(gate.waited == 1);
  CHECK(engine.admission.first() == 2u); // at the second time nobody was before it
  (void)slot.release();
}

TEST_CASE("who waits leaves the line when its gate is closed, whoever still holds the engine") {
  struct Gate final : EngineGate {
    std::atomic<bool> closed{false};
    std::atomic<int> waited{0};
    void off_device() override {}
    bool may_wait() override { return !closed; }
    bool may_enter() override { return !closed; }
    void wait_until_open() override {
      ++waited;
      while (closed)
        std::this_thread::yield();
    }
  } gate;
  Engine engine{1, 2};
  EngineTuning const soon{0, 1ms};
  EngineClient holder = engine.client(1, soon);
  EngineClient slot = engine.client(2, soon, &gate);
  holder.acquire();
  std::thread waiting([&] { slot.acquire(); });
  until([&] { return engine.place(2).sleeps == 1; });
  gate.closed = true;
  until([&] { return gate.waited == 1; });
  CHECK(engine.place(2).ticket == 0);
  gate.closed = false;
  (void)holder.release();
  waiting.join();
  CHECK(engine.admission.first() == 2u);
  (void)slot.release();
}

TEST_CASE("a worker's lies about itself reach nobody outside the line") {
  Engine engine{1, 2};
  EngineClient slot = engine.client(2, no_recheck);
  SECTION("a ticket from the future is behind all others") {
    engine.place(1).ticket = ~std::uint64_t{0};
    slot.acquire();
    CHECK(engine.admission.first() == 2u);
    (void)slot.release();
  }
  SECTION("a sleeper that is none costs a wake-up") {
    engine.place(1).sleeps = ~std::uint32_t{0};
    slot.acquire();
    (void)slot.release();
  }
  SECTION("impossible times and counts") {
    for (auto* const word :
         {&engine.place(1).released_ns, &engine.place(1).switches, &engine.place(1).switching_ns})
      *word = ~std::uint64_t{0};
    slot.acquire();
    (void)slot.release();
    CHECK(engine.admission.switches().count == ~std::uint64_t{0});
    CHECK(engine.admission.switches().time == Nanos::max());
    engine.admission.leave(1);
    CHECK(engine.admission.switches().time == Nanos::max());
  }
}
