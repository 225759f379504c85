// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/shared_tasks.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr TaskSlices::Lengths lengths{.slice = 1ms, .min_granularity = 200us};
using Tasks = std::vector<TaskId>;
using Domains = std::vector<DomainId>;

// Counts the domains that are looked at.
struct Fixture {
  std::map<TaskId, TaskRecord> tasks;
  std::map<DomainId, TaskSlices> domains;
  SharedTasks shared;
  int looks = 0;

  void attach(DomainId domain, TaskId task) {
    tasks[task].id = task;
    auto const [place, is_new] = domains.try_emplace(domain);
    if (is_new) place->second.set(lengths);
    place->second.attach(tasks[task]);
    shared.changed(domain);
  }
  void uses(DomainId domain, TaskId task, Nanos used) {
    domains.at(domain).read(tasks.at(task), {.ready = true, .used = used});
    shared.changed(domain);
  }
  Tasks choose(Domains const& run) {
    looks = 0;
    return shared.choose(run, [this](DomainId domain) {
      ++looks;
      auto const found = domains.find(domain);
      return found == domains.end() ? nullptr : &found->second;
    });
  }
};

} // namespace

TEST_CASE("all tasks of the domains that have the device run") {
  Fixture fixture;
  fixture.attach(1, 11);
  fixture.attach(2, 20);
  fixture.attach(1, 10);
  CHECK(fixture.choose({1, 2}) == Tasks{10, 11, 20});
  CHECK(fixture.choose({2}) == Tasks{20});
  CHECK(fixture.choose({1, 2}) == Tasks{10, 11, 20});
  CHECK(fixture.choose({}).empty());
}

TEST_CASE("a task that is ahead of others of its domain is held back where that is kept") {
  Fixture fixture;
  for (TaskId const task : {10U, 11U})
    fixture.attach(1, task);
  fixture.uses(1, 10, 0ns);
  fixture.uses(1, 11, 4ms + 1ns);
  CHECK(fixture.choose({1}) == Tasks{10, 11});
  fixture.shared.keep_step(true);
  CHECK(fixture.choose({1}) == Tasks{10});
  fixture.uses(1, 10, 1ms); // has caught up
  CHECK(fixture.choose({1}) == Tasks{10, 11});
}

TEST_CASE("of a thousand domains only those that changed, came or went are looked at") {
  Fixture fixture;
  Domains all;
  for (std::uint32_t id = 1; id <= 1000; ++id) {
    fixture.attach(id, id);
    all.push_back(id);
  }
  CHECK(fixture.choose(all).size() == 1000);
  CHECK(fixture.looks == 1000);
  CHECK(fixture.choose(all).size() == 1000);
  CHECK(fixture.looks == 0);
  fixture.uses(500, 500, 1ms);
  CHECK(fixture.choose(all).size() == 1000);
  CHECK(fixture.looks == 1);
  all.erase(all.begin() + 7);
  CHECK(fixture.choose(all).size() == 999);
  CHECK(fixture.looks == 1);
}

TEST_CASE("a task or a domain that left does not run") {
  Fixture fixture;
  fixture.attach(1, 10);
  fixture.attach(2, 20);
  CHECK(fixture.choose({1, 2}) == Tasks{10, 20});
  fixture.domains.at(1).detach(fixture.tasks.at(10));
  fixture.shared.forget(10);
  fixture.shared.changed(1);
  CHECK(fixture.choose({1, 2}) == Tasks{20});
  fixture.domains.erase(1);
  CHECK(fixture.choose({2}) == Tasks{20});
}

TEST_CASE("after a time in which the device was not shared all are looked at") {
  Fixture fixture;
  fixture.attach(1, 10);
  CHECK(fixture.choose({1}) == Tasks{10});
  fixture.shared.begin_anew();
  CHECK(fixture.choose({1}) == Tasks{10});
  CHECK(fixture.looks == 1);
}
