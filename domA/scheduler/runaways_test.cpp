// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/runaways.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr Time start{1s};
using Tasks = std::vector<TaskId>;

constexpr auto all_wait = [](TaskId) { return true; };
constexpr auto nothing_of_others = [](TaskId) -> Nanos { return 0ns; };

struct Fixture : Runaways {
  Fixture() : Runaways(10s) {}
  TaskRecord& task(TaskId id) {
    tasks[id].id = id;
    return tasks[id];
  }
  void executes(TaskId id, Time since) { Runaways::executes(task(id), since); }
  void blocks(TaskId id, std::optional<Time> since) { Runaways::blocks(task(id), since); }
  void forget(TaskId id) {
    Runaways::forget(task(id));
    tasks.erase(id);
  }
  void shares(TaskId id, std::size_t sharers) { Runaways::shares(task(id), sharers); }
  bool given_up(TaskId id) { return task(id).conduct.given_up; }
  Tasks take(Time now, bool shared, auto others_wait, auto of_others) {
    Tasks ids;
    for (TaskRecord* const guilty : Runaways::take(
             now, shared, [&](TaskRecord const& each) { return others_wait(each.id); },
             [&](TaskRecord const& each) { return of_others(each.id); }))
      ids.push_back(guilty->id);
    return ids;
  }
  std::map<TaskId, TaskRecord> tasks;
};

// The tasks to be given up at this time where one domain has the device, or where all share it and all wait.
Tasks alone(Fixture& runaways, Time now) { return runaways.take(now, false, all_wait, nothing_of_others); }
Tasks shared(Fixture& runaways, Time now) { return runaways.take(now, true, all_wait, nothing_of_others); }

} // namespace

TEST_CASE("a task that does not stop is given up at the limit, once") {
  Fixture runaways;
  runaways.blocks(1, start);
  CHECK(alone(runaways, start + 10s - 1ns).empty());
  CHECK_FALSE(runaways.given_up(1));
  CHECK(alone(runaways, start + 10s) == Tasks{1});
  CHECK(runaways.given_up(1));
  CHECK(alone(runaways, start + 20s).empty());
}

TEST_CASE("a task that stopped, or that no other domain waits for any more, is not late") {
  Fixture runaways;
  runaways.blocks(1, start);
  runaways.blocks(1, std::nullopt);
  CHECK(alone(runaways, start + 20s).empty());
  runaways.blocks(1, start + 15s);
  CHECK(runaways.task(1).conduct.blocks == start + 15s);
  CHECK(alone(runaways, start + 25s - 1ns).empty());
  CHECK(alone(runaways, start + 25s) == Tasks{1});
}

TEST_CASE("a task that does not stop is not to blame for the time that the device worked for others") {
  Fixture runaways;
  for (TaskId const task : {1U, 2U, 3U}) {
    runaways.blocks(task, start);
    runaways.shares(task, 3);
  }
  auto const of_others = [](TaskId task) -> Nanos {
    return task == TaskId{2U} ? 1s : 9s;
  }; // 2 has executed for 8 s
  CHECK(runaways.take(start + 10s, false, all_wait, of_others).empty());
  CHECK(runaways.take(start + 11s, false, all_wait, of_others) == Tasks{2});
  CHECK(runaways.take(start + 19s - 1ns, false, all_wait, of_others).empty());
  CHECK(runaways.take(start + 19s, false, all_wait, of_others) == Tasks{1, 3});
}

TEST_CASE("work for others excuses a task for as long as the device may take for all that share it") {
  Fixture runaways;
  auto const all_of_others = [](TaskId) -> Nanos { return std::chrono::hours(1); };
  runaways.blocks(1, start);
  runaways.shares(1, 4);
  runaways.shares(1, 2); // two have stopped
  CHECK(runaways.take(start + 40s - 1ns, false, all_wait, all_of_others).empty());
  CHECK(runaways.take(start + 40s, false, all_wait, all_of_others) == Tasks{1});
  runaways.forget(1);
  runaways.blocks(1, start);
  CHECK(runaways.take(start + 10s, false, all_wait, all_of_others) == Tasks{1});
}

TEST_CASE("where domains share the device, executing for longer than the limit is late while others wait") {
  Fixture runaways;
  runaways.executes(4, start);
  runaways.executes(3, start);
  runaways.executes(2, start + 1s);
  CHECK(alone(runaways, start + 10s).empty());
  CHECK(runaways.take(
            start + 10s, true, [](TaskId task) { return task == 4; }, nothing_of_others) == Tasks{4});
  CHECK(shared(runaways, start + 10s) == Tasks{3});
  CHECK(shared(runaways, start + 11s) == Tasks{2});
}

TEST_CASE("a task that was told to stop has the limit from then on, however long it executed before") {
  Fixture runaways;
  runaways.executes(1, start);
  runaways.blocks(1, start + 5s);
  CHECK(shared(runaways, start + 10s).empty());
  CHECK(shared(runaways, start + 15s) == Tasks{1});
}

TEST_CASE("a task that left is not found, nor is what it did held against the next one with its number") {
  Fixture runaways;
  runaways.blocks(1, start);
  runaways.executes(1, start);
  CHECK(alone(runaways, start + 10s) == Tasks{1});
  runaways.forget(1);
  CHECK_FALSE(runaways.given_up(1));
  CHECK(shared(runaways, start + 20s).empty());
  runaways.blocks(1, start + 20s);
  CHECK(alone(runaways, start + 30s) == Tasks{1});
}
