// SPDX-License-Identifier: Apache-2.0
// The dispatcher: orders to workers.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using gate::Activity;
using gate::Answer;
using gate::Order;

namespace {

constexpr Order some_order{.kind = gate::OrderKind::nothing, .amount = 7};

bool has_order(Worker const& worker) { return !gate::answer_to_last(worker.gate, worker.usage); }

void give(TwoDomains& fixture, TaskId task) {
  REQUIRE(fixture.dispatcher.order(task, some_order));
  fixture.point();
}

bool interrupted(TwoDomains const& fixture, TaskId task) {
  return std::ranges::find(fixture.last.interrupt, task) != fixture.last.interrupt.end();
}

} // namespace

TEST_CASE("a worker without calls is interrupted for its order, and its answer comes back once") {
  TwoDomains fixture("rr");
  give(fixture, TwoDomains::task_a);
  CHECK(interrupted(fixture, TwoDomains::task_a));
  REQUIRE(obeys(fixture.a));
  CHECK_FALSE(obeys(fixture.a));
  fixture.becomes(fixture.a, Activity::idle);
  CHECK(fixture.last.answered ==
        std::vector{
            Answered{TwoDomains::task_a, some_order, {.status = gate::OrderStatus::done, .amount = 8}}});
  CHECK(fixture.last.interrupt.empty());
  fixture.wait(10s);
  CHECK(fixture.last.answered.empty());
  CHECK(fixture.given_up.empty());
}

TEST_CASE("an order is posted once the task has stopped, and it has the device again after its answer") {
  for (std::string_view const policy : {"rr", "none", "accc", "eevdf", "dfq"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.executes(fixture.a);
    REQUIRE(fixture.a.open());
    give(fixture, TwoDomains::task_a);
    CHECK_FALSE(fixture.a.open());
    CHECK_FALSE(has_order(fixture.a)); // its kernel still runs
    fixture.finishes(fixture.a, Activity::waiting);
    CHECK_FALSE(fixture.a.open());
    REQUIRE(obeys(fixture.a));
    fixture.becomes(fixture.a, Activity::waiting);
    CHECK(fixture.last.answered.size() == 1);
    CHECK(fixture.a.open());
  }
}

TEST_CASE("the domain's other tasks, and other domains, have the device meanwhile") {
  for (std::string_view const policy : {"rr", "none", "eevdf"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    Worker second{3};
    fixture.dispatcher.attach(3, 10, second.gate, second.usage, fixture.now);
    fixture.becomes(fixture.a, Activity::waiting);
    fixture.becomes(second, Activity::waiting);
    give(fixture, TwoDomains::task_a);
    if (fixture.a.open()) FAIL("it has an order");
    fixture.becomes(fixture.a, Activity::waiting);
    CHECK(has_order(fixture.a));
    CHECK(second.open());
    fixture.becomes(fixture.b, Activity::waiting);
    bool other_ran = false;
    for (int step = 0; step < 50 && !other_ran; ++step) {
      fixture.wait(5ms);
      for (Worker* const worker : {&second, &fixture.b})
        if (!worker->open()) fixture.becomes(*worker, Activity::waiting);
      other_ran = fixture.b.open();
      CHECK_FALSE(fixture.a.open());
    }
    CHECK(other_ran);
  }
}

TEST_CASE("where domains share the device, gates open while a task with an order still stops") {
  for (std::string_view const policy : {"none", "lead", "rr"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.executes(fixture.a);
    give(fixture, TwoDomains::task_a);
    CHECK_FALSE(fixture.a.open());
    fixture.becomes(fixture.b, Activity::waiting);
    CHECK(fixture.b.open() == (policy != "rr")); // one at a time
    CHECK_FALSE(has_order(fixture.a));
    fixture.finishes(fixture.a, Activity::waiting);
    CHECK(has_order(fixture.a));
    bool opened = fixture.b.open();
    for (int step = 0; step < 4; ++step) { // under rr when the time slice of a's domain is over
      fixture.wait(5ms);
      opened = opened || fixture.b.open();
    }
    CHECK(opened);
  }
}

TEST_CASE("a task that waits for its turn gets no order while its gate is about to open") {
  TwoDomains fixture("rr");
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, Activity::waiting);
  fixture.wait(15ms); // a is told to stop, b is chosen
  REQUIRE_FALSE(fixture.a.open());
  REQUIRE_FALSE(fixture.b.open());
  give(fixture, TwoDomains::task_b);
  CHECK_FALSE(has_order(fixture.b));
  fixture.finishes(fixture.a, Activity::waiting);
  fixture.becomes(fixture.b, Activity::waiting);
  CHECK_FALSE(fixture.b.open());
  REQUIRE(obeys(fixture.b));
  fixture.becomes(fixture.b, Activity::waiting);
  CHECK(fixture.last.answered.size() == 1);
}

TEST_CASE("a worker that has not started yet gets no order, and is not late") {
  TwoDomains fixture("rr");
  Worker third{3};
  fixture.dispatcher.attach(3, 10, third.gate, third.usage, fixture.now);
  REQUIRE(fixture.dispatcher.order(3, some_order));
  fixture.wait(5s);
  CHECK(fixture.given_up.empty());
  CHECK(third.gate.order == 1);
  fixture.starts(third);
  fixture.point();
  CHECK(third.gate.order == 2);
  third.usage.answered = 77; // from now on it is what it says
  fixture.wait(2s);
  CHECK(fixture.given_up == std::vector<TaskId>{3});
}

TEST_CASE("a task has one order at a time, and nobody else's number has any") {
  TwoDomains fixture("rr");
  give(fixture, TwoDomains::task_a);
  CHECK_FALSE(fixture.dispatcher.order(TwoDomains::task_a, some_order));
  CHECK_FALSE(fixture.dispatcher.order(99, some_order));
  fixture.dies(TwoDomains::task_a);
  CHECK_FALSE(fixture.dispatcher.order(TwoDomains::task_a, some_order));
  fixture.wait(2s);
  CHECK(fixture.given_up.empty());
}

TEST_CASE("a worker that does not answer within the limit is given up, once") {
  TwoDomains fixture("rr");
  give(fixture, TwoDomains::task_a);
  fixture.wait(990ms);
  CHECK(fixture.given_up.empty());
  CHECK_FALSE(fixture.dispatcher.disobeyed(TwoDomains::task_a));
  fixture.wait(50ms);
  CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
  CHECK(fixture.dispatcher.disobeyed(TwoDomains::task_a));
  fixture.wait(5s);
  CHECK(fixture.given_up.size() == 1);
  CHECK(fixture.dispatcher.conduct(10).killed == 0); // none of its calls kept others waiting
}

TEST_CASE("a kernel of a domain that is alone delays an order, and is not given up for it") {
  TwoDomains fixture("rr");
  fixture.executes(fixture.a);
  give(fixture, TwoDomains::task_a);
  fixture.wait(60s);
  CHECK(fixture.given_up.empty());
  fixture.finishes(fixture.a, Activity::waiting);
  CHECK(has_order(fixture.a));
}

TEST_CASE("a call on the host has its own limit") {
  TwoDomains fixture("rr");
  give(fixture, TwoDomains::task_a);
  fixture.becomes(fixture.a, Activity::on_host);
  fixture.wait(30s);
  CHECK(fixture.given_up.empty());
  fixture.wait(31s);
  CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
}

TEST_CASE("nobody is given up for waiting for a CPU, nor while nobody looked") {
  TwoDomains fixture("rr");
  give(fixture, TwoDomains::task_a);
  fixture.cpu.waited += 3s;
  fixture.wait(3s);
  CHECK(fixture.given_up.empty());
  fixture.now += 100s; // pegasusd was stopped
  fixture.point();
  CHECK(fixture.given_up.empty());
  fixture.wait(2s);
  CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
}

TEST_CASE("under a policy that shares the device nobody is barred for a kernel that an order cut short") {
  TwoDomains fixture("dfq");
  fixture.becomes(fixture.b, Activity::running); // has a kernel in the queue
  fixture.executes(fixture.a);
  give(fixture, TwoDomains::task_a);
  fixture.wait(500ms); // its kernel goes on
  fixture.finishes(fixture.a, Activity::waiting);
  REQUIRE(obeys(fixture.a));
  fixture.becomes(fixture.a, Activity::waiting);
  CHECK(fixture.dispatcher.conduct(10).barred_until <= fixture.now);
}
