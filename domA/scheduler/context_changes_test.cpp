// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/context_changes.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr TaskId one = 1, other = 2, third = 3;
constexpr Nanos change_cost = 3ms;

struct Tasks : ContextChanges {
  explicit Tasks(Nanos cost) : ContextChanges(cost) {}
  TaskRecord& task(TaskId id) { return records.add(id, domain); }
  void opened(TaskId id) { ContextChanges::opened(task(id)); }
  void closed(TaskId id, Time now) { ContextChanges::closed(task(id), now); }
  void read(TaskId id, Nanos device_time, std::optional<Time> executing_since, Time now) {
    ContextChanges::read(task(id), device_time, executing_since, now);
  }
  void forget(TaskId id) { records.erase(task(id)); }
  Nanos since(TaskId id, Time then) { return ContextChanges::since(task(id), then, records); }

  DomainRecord domain;
  Records records;
};

// The device belonged to another task before the gate of `one` was opened, at 1 s.
Tasks changes_to_one(Nanos cost = change_cost) {
  Tasks changes(cost);
  changes.opened(other);
  changes.read(other, 1ms, std::nullopt, Time{999ms});
  changes.closed(other, Time{999ms});
  changes.opened(one);
  return changes;
}

} // namespace

TEST_CASE("context changes: of a task that has not executed yet, a whole one may be to come") {
  auto changes = changes_to_one();
  changes.closed(one, Time{1010ms});
  CHECK(changes.since(one, Time{1010ms}) == change_cost);
  CHECK(changes.since(one, Time{1012ms}) == 1ms);
  CHECK(changes.since(one, Time{1020ms}) == 0ms);
  changes.forget(one);
  CHECK(changes.since(one, Time{1010ms}) == 0ms);
}

TEST_CASE("context changes: work that executes may still wait for the rest of one") {
  auto changes = changes_to_one();
  changes.read(one, 2ms, Time{1008ms}, Time{1010ms});
  changes.closed(one, Time{1010ms});
  CHECK(changes.since(one, Time{1010ms}) == 1ms);
}

TEST_CASE("context changes: to a task that has used the device before, or had it last, there is none") {
  auto changes = changes_to_one();
  changes.read(one, 4ms, std::nullopt, Time{1005ms});
  changes.read(one, 5ms, Time{1009ms}, Time{1010ms});
  changes.closed(one, Time{1010ms});
  CHECK(changes.since(one, Time{1010ms}) == 0ms);
  changes.opened(one);
  changes.closed(one, Time{1020ms});
  CHECK(changes.since(one, Time{1020ms}) == 0ms);
}

TEST_CASE("context changes: one for each other task that the device works for, and one back") {
  auto changes = changes_to_one();
  changes.closed(one, Time{1010ms});
  changes.read(other, 2ms, std::nullopt, Time{1012ms});
  CHECK(changes.since(one, Time{1010ms}) == 2 * change_cost);
  changes.read(third, 2ms, std::nullopt, Time{1014ms});
  CHECK(changes.since(one, Time{1010ms}) == 3 * change_cost);
  changes.read(third, 2ms, std::nullopt, Time{1016ms});
  CHECK(changes.since(one, Time{1010ms}) == 3 * change_cost);
}

TEST_CASE("context changes: where they cost nothing there is nothing to take off") {
  auto changes = changes_to_one(0ms);
  changes.closed(one, Time{1010ms});
  changes.read(other, 2ms, std::nullopt, Time{1012ms});
  CHECK(changes.since(one, Time{1010ms}) == 0ms);
}
