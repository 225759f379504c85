// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/unclaimed_holds.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr TaskId a = 1, b = 2;

struct Looks {
  Time now{10s};
  UnclaimedHolds holds;
  std::map<TaskId, TaskRecord> tasks{};
  std::map<TaskId, Nanos> charged{};
  Time since{}; // of the last hold

  explicit Looks(Nanos switch_cost = 0ns) : holds(switch_cost) { look({}, 0ns); }
  void look(std::vector<TaskId> const& silent, Nanos later = 1ms) {
    now += later;
    std::vector<TaskRecord*> records;
    for (TaskId const id : silent) {
      tasks[id].id = id;
      records.push_back(&tasks[id]);
    }
    for (UnclaimedHolds::Hold const& hold : holds.look(records, now)) {
      charged[hold.task->id] += hold.time;
      since = hold.since;
    }
  }
};

} // namespace

TEST_CASE("who is first all the time and reports nothing pays nearly all of it") {
  Looks looks;
  Time const begin = looks.now;
  for (int i = 0; i < 1000; ++i)
    looks.look({a});
  CHECK(looks.since == begin + 1ms);
  CHECK(looks.charged[a] > 870ms);
  CHECK(looks.charged[a] < 1000ms);
}

TEST_CASE("two that take turns pay as much together") {
  Looks looks;
  for (int i = 0; i < 1000; ++i)
    looks.look({i % 2 == 0 ? a : b});
  CHECK(looks.charged[a] + looks.charged[b] > 740ms);
}

TEST_CASE("two that keep it together share the cost") {
  Looks looks;
  for (int i = 0; i < 1000; ++i)
    looks.look({a, b});
  CHECK(looks.charged[a] == looks.charged[b]);
  CHECK(looks.charged[a] + looks.charged[b] > 740ms);
  CHECK(looks.charged[a] + looks.charged[b] < 1000ms);
}

TEST_CASE("one look alone charges nothing, however long ago the last was") {
  Looks looks;
  looks.look({a}, 50ms);
  looks.look({}, 50ms);
  CHECK(looks.charged[a] == 0ns);
}

TEST_CASE("who is met now and then in the moment before it executes pays nothing") {
  Looks looks;
  for (int i = 0; i < 1000; ++i)
    looks.look(i % 10 == 0 ? std::vector{a} : std::vector<TaskId>{});
  CHECK(looks.charged[a] == 0ns);
}

TEST_CASE("to change the device's owner is not a hold") {
  Looks looks(5ms);
  for (int i = 0; i < 1000; ++i) // changes for 5 ms, executes for 1 ms
    looks.look(i % 6 < 5 ? std::vector{a} : std::vector<TaskId>{});
  CHECK(looks.charged[a] == 0ns);
}

TEST_CASE("to change the device's owner is not a hold, however rarely one looks") {
  Looks looks(500us);
  for (int i = 0; i < 1000; ++i)
    looks.look({i % 2 == 0 ? a : b}, 10ms);
  CHECK(looks.charged[a] + looks.charged[b] == 0ns);
}

TEST_CASE("a long pause between two looks is not charged") {
  Looks looks;
  looks.look({a});
  looks.look({a}, 1h);
  CHECK(looks.charged[a] <= 100ms);
}

TEST_CASE("a task that has left is a new one when it comes back") {
  Looks looks;
  for (int i = 0; i < 10; ++i)
    looks.look({a});
  looks.tasks.erase(a);
  looks.look({a});
  CHECK(looks.since == looks.now);
  CHECK(looks.charged[a] <= 10ms);
}
