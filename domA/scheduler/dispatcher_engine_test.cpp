// SPDX-License-Identifier: Apache-2.0
// The dispatcher and the line for the engine: who is admitted, and who pays for a hold that nobody reports.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

namespace {

struct Line final : EngineLine {
  std::set<TaskId> admitted;
  std::optional<TaskId> claims_it;
  Worker const* looks_at = nullptr; // its gate is closed yet when it is admitted
  void admit(TaskId task) override {
    admitted.insert(task);
    if (looks_at != nullptr && looks_at->task == task) CHECK_FALSE(looks_at->open());
  }
  void dismiss(TaskId task) override { admitted.erase(task); }
  [[nodiscard]] std::optional<TaskId> first() const override {
    return claims_it && admitted.contains(*claims_it) ? claims_it : std::nullopt;
  }
};

std::vector<std::string_view> shared_with_accounts() {
  std::vector<std::string_view> names;
  for (policies::Entry const& entry : policies::registry())
    if (!entry.exclusive && entry.accounts) names.push_back(entry.name);
  return names;
}

} // namespace

TEST_CASE("who has the device is in the line, from before its gate opens until it has stopped") {
  Line line;
  TwoDomains fixture("rr", nullptr, &line);
  line.looks_at = &fixture.a;
  fixture.becomes(fixture.a, gate::Activity::running);
  CHECK(line.admitted == std::set{TwoDomains::task_a});
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(15ms); // a's time slice is over
  REQUIRE_FALSE(fixture.a.open());
  CHECK(line.admitted == std::set{TwoDomains::task_a});
  fixture.becomes(fixture.a, gate::Activity::waiting); // it has stopped
  CHECK(fixture.b.open());
  CHECK(line.admitted == std::set{TwoDomains::task_b});
  fixture.dies(TwoDomains::task_b);
  CHECK_FALSE(line.admitted.contains(TwoDomains::task_b));
}

TEST_CASE("a worker in the line that is told to stop has stopped") {
  Line line;
  TwoDomains fixture("none", nullptr, &line);
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::waiting); // behind a, with an open gate
  REQUIRE(fixture.b.open());
  fixture.dispatcher.use({policies::find("rr"), {}}, fixture.now); // one of them must stop
  fixture.point();
  CHECK_FALSE(fixture.b.open());
  // a has the device to itself, before b looked at its gate
  CHECK(line.admitted == std::set{TwoDomains::task_a});
}

TEST_CASE("who keeps the engine and reports nothing is charged for it") {
  for (std::string_view const policy : shared_with_accounts()) {
    CAPTURE(policy);
    Line line;
    TwoDomains fixture(policy, nullptr, &line);
    fixture.becomes(fixture.a, gate::Activity::running);
    fixture.becomes(fixture.b, gate::Activity::running);
    fixture.becomes(fixture.a, gate::Activity::idle); // it says
    line.claims_it = TwoDomains::task_a;
    fixture.wait(500ms);
    Nanos const charged = fixture.used(10);
    CHECK(charged > 1ms);
    CHECK(charged <= 500ms);
    CHECK(fixture.used(20) == 0ns);
    // b has received less: it has the device without a.
    CHECK(fixture.b.open());
    CHECK(line.admitted == std::set{TwoDomains::task_b});
  }
}

TEST_CASE("who claims to have calls while the device is idle, and keeps others out, is charged") {
  TwoDomains fixture("lead");
  fixture.executes(fixture.b);
  fixture.wait(100ms); // b has received more: a has the device alone when it comes
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.finishes(fixture.b, gate::Activity::waiting);
  REQUIRE(fixture.a.open());
  REQUIRE_FALSE(fixture.b.open());
  fixture.wait(100ms);
  CHECK(fixture.used(10) > 5ms);
  CHECK(fixture.b.open());
}

TEST_CASE("what passed while the device was not shared is charged to nobody who keeps it for a moment then") {
  Line line;
  TwoDomains fixture("none", nullptr, &line);
  auto const use = [&](std::string_view policy) {
    fixture.dispatcher.use({policies::find(policy), {}}, fixture.now);
    fixture.point();
  };
  line.claims_it = TwoDomains::task_b;
  fixture.becomes(fixture.b, gate::Activity::running);
  fixture.wait(1ms);
  use("rr");
  fixture.executes(fixture.a);
  fixture.wait(80ms);
  fixture.finishes(fixture.a, gate::Activity::idle);
  Nanos const before = fixture.used(20);
  use("none");
  fixture.wait(2ms);
  CHECK(fixture.used(20) - before <= 2ms);
}

TEST_CASE("an honest worker that has just come to the front is not charged") {
  Line line;
  TwoDomains fixture("lead", nullptr, &line);
  line.claims_it = TwoDomains::task_a;
  for (int i = 0; i < 50; ++i) {
    fixture.executes(fixture.a);
    fixture.wait(2ms);
    fixture.finishes(fixture.a, gate::Activity::running);
  }
  CHECK(fixture.used(10) == 100ms);
}
