// SPDX-License-Identifier: Apache-2.0
#include "domA/gate/gate.h"

#include <catch2/catch.hpp>
#include <set>

using namespace pegasus::gate;

namespace {

// A worker's side of the two pages.
struct Seat {
  GatePage gate{};
  UsagePage usage{};
  bool is_open() const { return (gate.word.load() & word_open) != 0; }
  void obey() { usage.obeyed.store(gate.word.load()); }
};

struct Bench {
  std::set<std::atomic<std::uint32_t>*> woken;
  Gate gate{[this](std::atomic<std::uint32_t>& word) { woken.insert(&word); }};
  Seat a1, a2, b1;
  Bench() {
    gate.attach(1, 10, a1.gate, a1.usage);
    gate.attach(2, 10, a2.gate, a2.usage);
    gate.attach(3, 20, b1.gate, b1.usage);
  }
  bool apply(std::vector<DomainId> run) { return gate.apply(run); }
};

} // namespace

TEST_CASE("all tasks of a chosen domain are opened and woken, the others stay closed") {
  Bench bench;
  CHECK(bench.apply({10}));
  CHECK(bench.a1.is_open());
  CHECK(bench.a2.is_open());
  CHECK_FALSE(bench.b1.is_open());
  CHECK(bench.woken == std::set<std::atomic<std::uint32_t>*>{&bench.a1.gate.word, &bench.a2.gate.word});
  CHECK(bench.gate.open(1));
  CHECK_FALSE(bench.gate.open(3));
}

TEST_CASE("the next domain starts only when the running one is between calls") {
  Bench bench;
  REQUIRE(bench.apply({10}));
  bench.a1.usage.activity = Activity::running;
  CHECK_FALSE(bench.apply({20}));
  CHECK_FALSE(bench.a1.is_open());
  CHECK_FALSE(bench.b1.is_open());
  CHECK(bench.gate.draining() == std::vector<TaskId>{1});

  SECTION("it obeys the closed gate") { bench.a1.obey(); }
  SECTION("it goes to sleep on its empty ring") { bench.a1.usage.activity = Activity::idle; }
  SECTION("it waits at the gate") { bench.a1.usage.activity = Activity::waiting; }
  SECTION("it is gone") { bench.gate.detach(1); }
  CHECK(bench.gate.settle());
  CHECK(bench.b1.is_open());
}

TEST_CASE("an acknowledgement of an earlier closing does not count") {
  Bench bench;
  bench.a1.usage.activity = Activity::running;
  REQUIRE(bench.apply({10}));
  REQUIRE_FALSE(bench.apply({20}));
  bench.a1.obey();
  REQUIRE(bench.gate.settle());
  REQUIRE(bench.apply({10})); // b1 is idle
  CHECK_FALSE(bench.apply({20}));
}

TEST_CASE("a task that comes while its domain runs may run at once") {
  Bench bench;
  REQUIRE(bench.apply({20}));
  Seat late;
  bench.gate.attach(4, 20, late.gate, late.usage);
  CHECK(late.is_open());
  Seat other;
  bench.gate.attach(5, 10, other.gate, other.usage);
  CHECK_FALSE(other.is_open());
}

TEST_CASE("a task that comes during a change waits for its end") {
  Bench bench;
  REQUIRE(bench.apply({10}));
  bench.a1.usage.activity = Activity::running;
  REQUIRE_FALSE(bench.apply({20}));
  Seat late;
  bench.gate.attach(4, 20, late.gate, late.usage);
  CHECK_FALSE(late.is_open());
  bench.a1.obey();
  REQUIRE(bench.gate.settle());
  CHECK(late.is_open());
}

TEST_CASE("idle closes every gate, shared opens several") {
  Bench bench;
  CHECK(bench.apply({10, 20}));
  CHECK((bench.a1.is_open() && bench.b1.is_open()));
  CHECK(bench.apply({}));
  CHECK_FALSE((bench.a1.is_open() || bench.a2.is_open() || bench.b1.is_open()));
}

TEST_CASE("the worker of a domain that is to be woken is told so with the opening, and no other") {
  Bench bench;
  REQUIRE(bench.gate.apply(std::vector<DomainId>{10, 20}, std::vector<DomainId>{20}));
  CHECK((bench.a1.gate.word.load() & word_wake) == 0);
  CHECK((bench.b1.gate.word.load() & word_wake) != 0);
  std::uint32_t const before = bench.b1.gate.word.load();
  REQUIRE(bench.apply({}));
  CHECK(bench.b1.gate.word.load() / word_epoch == before / word_epoch + 1);
  CHECK((bench.b1.gate.word.load() & word_wake) == 0);
}
