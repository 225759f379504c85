// SPDX-License-Identifier: Apache-2.0
#include "domA/gate/gate.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace pegasus::gate;

namespace {

// The worker's side of the two pages.
struct Slot {
  GatePage gate{};
  UsagePage usage{};
  bool is_open() const { return (gate.word.load() & word_open) != 0; }
  void obey() { usage.obeyed.store(gate.word.load()); }
};

struct Fixture final : Gate::Listener {
  std::vector<std::string> heard;
  std::vector<TaskId> entered;
  Gate gate{*this};
  Slot a1, a2, b1;
  Fixture() {
    gate.attach(1, a1.gate, a1.usage);
    gate.attach(2, a2.gate, a2.usage);
    gate.attach(3, b1.gate, b1.usage);
  }
  bool apply(std::vector<TaskId> run) { return gate.apply(run); }
  void entering(TaskId task) override {
    entered.push_back(task);
    CHECK_FALSE(gate.open(task));
  }
  void opened(TaskId task, std::atomic<std::uint32_t>&) override {
    heard.push_back("opened " + std::to_string(task));
  }
  void closed(TaskId task) override { heard.push_back("closed " + std::to_string(task)); }
  void drained(TaskId task) override { heard.push_back("drained " + std::to_string(task)); }
};

} // namespace

TEST_CASE("the gates of the chosen are opened, the others stay closed") {
  Fixture fixture;
  CHECK(fixture.apply({1, 2}));
  CHECK(fixture.a1.is_open());
  CHECK(fixture.a2.is_open());
  CHECK_FALSE(fixture.b1.is_open());
  CHECK(fixture.heard == std::vector<std::string>{"opened 1", "opened 2"});
  CHECK(fixture.gate.open(1));
  CHECK_FALSE(fixture.gate.open(3));
  CHECK(fixture.gate.chosen() == std::vector<TaskId>{1, 2});
}

TEST_CASE("others need not wait for who stops beside them") {
  Fixture fixture;
  REQUIRE(fixture.apply({1, 2}));
  for (Slot* const slot : {&fixture.a1, &fixture.a2})
    slot->usage.activity = Activity::running;
  CHECK(fixture.gate.apply(std::vector<TaskId>{2, 3}, {}, std::vector<TaskId>{1}));
  CHECK(fixture.b1.is_open());
  CHECK(fixture.gate.draining() == std::vector<TaskId>{1});
  fixture.b1.usage.activity = Activity::running;
  CHECK_FALSE(fixture.gate.apply(std::vector<TaskId>{3}, {}, std::vector<TaskId>{1})); // 2 was not among them
  fixture.a2.obey();
  CHECK(fixture.gate.drain());
  fixture.a1.obey();
  CHECK(fixture.gate.drain());
  CHECK(fixture.gate.draining().empty());
}

TEST_CASE("an open gate is leased, and opened anew for a worker that found the lease run out") {
  Fixture fixture;
  fixture.gate.lease_until(500);
  REQUIRE(fixture.apply({1}));
  CHECK(fixture.a1.gate.lease_until_ns == 500);
  fixture.gate.lease_until(900);
  CHECK(fixture.a1.gate.lease_until_ns == 900);
  CHECK(fixture.a2.gate.lease_until_ns == 0);
  CHECK(fixture.gate.reopen(1) == nullptr); // the worker has not stopped
  std::uint32_t const before = fixture.a1.gate.word;
  fixture.a1.usage.activity = Activity::waiting;
  fixture.a1.obey();
  CHECK(fixture.gate.reopen(1) == &fixture.a1.gate.word);
  CHECK(fixture.a1.is_open());
  CHECK(fixture.a1.gate.word != before);
  CHECK(fixture.gate.reopen(1) == nullptr); // only once
  fixture.b1.obey();
  CHECK(fixture.gate.reopen(3) == nullptr); // its gate is closed
  CHECK(fixture.gate.reopen(9) == nullptr);
}

TEST_CASE(
    "open gates have the limit on pieces, also those that open later, and who is told to stop keeps it") {
  Fixture fixture;
  CHECK(fixture.apply({1}));
  fixture.gate.limit({.from_ns = 100, .longest_ns = 20});
  CHECK(fixture.a1.gate.pieces_from_ns.load() == 100);
  CHECK(fixture.a1.gate.longest_piece_ns.load() == 20);
  CHECK(fixture.b1.gate.longest_piece_ns.load() == 0); // closed
  fixture.a1.usage.activity.store(Activity::running);
  CHECK_FALSE(fixture.apply({3}));
  fixture.gate.limit({.from_ns = 300, .longest_ns = 30});
  CHECK(fixture.a1.gate.longest_piece_ns.load() == 20);
  fixture.a1.obey();
  CHECK(fixture.gate.drain());
  CHECK(fixture.b1.gate.pieces_from_ns.load() == 300);
  CHECK(fixture.b1.gate.longest_piece_ns.load() == 30);
  fixture.gate.limit({});
  CHECK(fixture.b1.gate.longest_piece_ns.load() == 0);
}

TEST_CASE("the next one starts only when the running one is between calls") {
  Fixture fixture;
  REQUIRE(fixture.apply({1}));
  fixture.a1.usage.activity = Activity::running;
  fixture.heard.clear();
  CHECK_FALSE(fixture.apply({3}));
  CHECK_FALSE(fixture.a1.is_open());
  CHECK_FALSE(fixture.b1.is_open());
  CHECK(fixture.gate.draining() == std::vector<TaskId>{1});
  CHECK(fixture.heard == std::vector<std::string>{"closed 1"});

  SECTION("it obeys the closed gate") {
    fixture.a1.obey();
    CHECK(fixture.gate.drain());
    CHECK(fixture.heard == std::vector<std::string>{"closed 1", "drained 1", "opened 3"});
  }
  SECTION("it goes to sleep on its empty ring") { fixture.a1.usage.activity = Activity::idle; }
  SECTION("it waits at the gate") { fixture.a1.usage.activity = Activity::waiting; }
  SECTION("it is gone") { fixture.gate.detach(1); }
  CHECK(fixture.gate.drain());
  CHECK(fixture.b1.is_open());
}

TEST_CASE("an acknowledgement of an earlier closing does not count") {
  Fixture fixture;
  fixture.a1.usage.activity = Activity::running;
  REQUIRE(fixture.apply({1}));
  REQUIRE_FALSE(fixture.apply({3}));
  fixture.a1.obey();
  REQUIRE(fixture.gate.drain());
  REQUIRE(fixture.apply({1})); // b1 is idle
  CHECK_FALSE(fixture.apply({3}));
}

TEST_CASE("another choice during a change waits for the tasks that were told to stop") {
  Fixture fixture;
  REQUIRE(fixture.apply({1}));
  fixture.a1.usage.activity = Activity::running;
  REQUIRE_FALSE(fixture.apply({3}));
  CHECK_FALSE(fixture.apply({2}));
  CHECK_FALSE((fixture.a2.is_open() || fixture.b1.is_open()));
  fixture.a1.obey();
  REQUIRE(fixture.gate.drain());
  CHECK(fixture.a2.is_open());
  CHECK_FALSE(fixture.b1.is_open());
}

TEST_CASE("a task that is chosen again before it has stopped goes on when it has") {
  Fixture fixture;
  REQUIRE(fixture.apply({1}));
  fixture.a1.usage.activity = Activity::running;
  REQUIRE_FALSE(fixture.apply({3}));
  CHECK_FALSE(fixture.apply({1}));
  fixture.a1.obey();
  REQUIRE(fixture.gate.drain());
  CHECK(fixture.a1.is_open());
}

TEST_CASE("no choice closes every gate, a shared one opens several; a new task's gate is closed") {
  Fixture fixture;
  CHECK(fixture.apply({1, 3}));
  CHECK((fixture.a1.is_open() && fixture.b1.is_open()));
  Slot late;
  fixture.gate.attach(4, late.gate, late.usage);
  CHECK_FALSE(late.is_open());
  CHECK(fixture.apply({}));
  CHECK_FALSE((fixture.a1.is_open() || fixture.a2.is_open() || fixture.b1.is_open()));
}

TEST_CASE("the worker of a task that is to be woken is told so with the opening, and no other") {
  Fixture fixture;
  REQUIRE(fixture.gate.apply(std::vector<TaskId>{1, 3}, std::vector<TaskId>{3}));
  CHECK((fixture.a1.gate.word.load() & word_wake) == 0);
  CHECK((fixture.b1.gate.word.load() & word_wake) != 0);
  std::uint32_t const before = fixture.b1.gate.word.load();
  REQUIRE(fixture.apply({}));
  CHECK(fixture.b1.gate.word.load() / word_epoch == before / word_epoch + 1);
  CHECK((fixture.b1.gate.word.load() & word_wake) == 0);
}

TEST_CASE("who enters is named before its gate opens, when all that must stop have stopped") {
  Fixture fixture;
  fixture.a1.usage.activity = Activity::running;
  REQUIRE(fixture.apply({1}));
  CHECK(fixture.entered == std::vector<TaskId>{1});
  CHECK_FALSE(fixture.apply({3}));
  CHECK(fixture.entered == std::vector<TaskId>{1}); // the other task is still on the device
  fixture.a1.obey();
  REQUIRE(fixture.gate.drain());
  CHECK(fixture.entered == std::vector<TaskId>{1, 3});
  REQUIRE(fixture.apply({1, 3}));
  CHECK(fixture.entered == std::vector<TaskId>{1, 3, 1}); // the one that stays does not enter again
}
