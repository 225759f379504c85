// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/task_starts.h"

#include <catch2/catch.hpp>

using pegasus::xen::TaskStarts;
using Decision = TaskStarts::Decision;
using namespace std::chrono_literals;

namespace {

std::string key(int number) { return "t" + std::to_string(number); }

} // namespace

TEST_CASE("a guest may start some tasks at once, then so many a second, in their order") {
  TaskStarts starts;
  TaskStarts::Time now{1h};
  for (int i = 0; i < 40; ++i)
    REQUIRE(starts.ask(key(i), now) == Decision::start);
  CHECK_FALSE(starts.due());
  for (int i = 40; i < 60; ++i)
    REQUIRE(starts.ask(key(i), now) == Decision::wait);
  CHECK(starts.ask(key(40), now) == Decision::wait); // asked again: it gets no second place
  CHECK_FALSE(starts.next(now));
  for (int i = 40; i < 60; ++i) {
    REQUIRE(starts.due());
    CHECK(*starts.due() > now);
    CHECK(*starts.due() <= now + 51ms);
    now = *starts.due();
    CHECK(starts.next(now) == key(i));
  }
  CHECK_FALSE(starts.next(now + 1s));
  CHECK_FALSE(starts.due());
}

TEST_CASE("no task starts before those that wait") {
  TaskStarts starts;
  TaskStarts::Time now{1h};
  for (int i = 0; i < 41; ++i)
    (void)starts.ask(key(i), now);
  now += 10s;
  CHECK(starts.ask("late", now) == Decision::wait);
  CHECK(starts.next(now) == key(40));
  CHECK(starts.next(now) == "late");
  CHECK(starts.ask("later", now) == Decision::start);
}

TEST_CASE("a guest with very many waiting starts has the rest refused") {
  TaskStarts starts;
  TaskStarts::Time const now{1h};
  for (int i = 0; i < 40; ++i)
    (void)starts.ask(key(i), now);
  for (std::size_t i = 0; i < TaskStarts::max_waiting; ++i)
    REQUIRE(starts.ask("w" + std::to_string(i), now) == Decision::wait);
  CHECK(starts.ask("more", now) == Decision::refuse);
}
