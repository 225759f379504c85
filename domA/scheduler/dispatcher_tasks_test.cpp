// SPDX-License-Identifier: Apache-2.0
// The dispatcher: the tasks of a domain.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

TEST_CASE("one task of a domain is on the device at a time, and they share its time slice") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    TwoDomains fixture(policy);
    Worker second{3};
    fixture.dispatcher.attach(3, 10, second.gate, second.usage, fixture.now);
    fixture.executes(fixture.a);
    REQUIRE(fixture.a.open());
    fixture.becomes(second, gate::Activity::waiting);
    CHECK_FALSE(second.open());
    fixture.wait(3ms); // its slice is over, its kernel is not
    CHECK_FALSE(fixture.a.open());
    CHECK_FALSE(second.open());
    fixture.finishes(fixture.a, gate::Activity::waiting);
    CHECK(second.open());
    CHECK_FALSE(fixture.a.open());
    fixture.becomes(second, gate::Activity::idle);
    CHECK(fixture.a.open());
  }
}

TEST_CASE("programs of one domain never have each other killed") {
  TwoDomains fixture("accc");
  Worker second{3};
  fixture.dispatcher.attach(3, 10, second.gate, second.usage, fixture.now);
  fixture.executes(fixture.a);
  fixture.becomes(second, gate::Activity::waiting);
  fixture.wait(30s);
  CHECK(fixture.given_up.empty());
  fixture.becomes(fixture.b, gate::Activity::waiting); // another domain waits, from now on
  fixture.wait(900ms);
  CHECK(fixture.given_up.empty());
  fixture.wait(200ms);
  CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
}

TEST_CASE("under a shared policy the domains with calls are known from the next kick on, of any task") {
  TwoDomains fixture("none");
  fixture.a.usage.activity = gate::Activity::running; // its gate is open: it does not kick
  fixture.now += 2ms;
  fixture.becomes(fixture.b, gate::Activity::idle);
  CHECK(fixture.last.work);
}

TEST_CASE("under a shared policy every task runs") {
  TwoDomains fixture("none");
  Worker second{3};
  fixture.dispatcher.attach(3, 10, second.gate, second.usage, fixture.now);
  fixture.point();
  CHECK((fixture.a.open() && fixture.b.open() && second.open()));
}

TEST_CASE("where accounts are kept, a shared device is shared fairly among the tasks of a domain, too") {
  TwoDomains fixture("dfq");
  Worker c{.task = 3}; // beside b
  fixture.dispatcher.attach(c.task, 20, c.gate, c.usage, fixture.now);
  for (Worker* const worker : {&fixture.b, &c})
    fixture.becomes(*worker, gate::Activity::running);
  CHECK((fixture.a.open() && fixture.b.open() && c.open()));
  fixture.executes(fixture.b);
  fixture.wait(15ms);
  fixture.finishes(fixture.b, gate::Activity::running);
  fixture.wait(5ms);
  CHECK((fixture.a.open() && !fixture.b.open() && c.open())); // b is 15 ms ahead of c
  fixture.executes(c);
  fixture.wait(8ms);
  fixture.finishes(c, gate::Activity::running);
  fixture.wait(5ms);
  CHECK((fixture.a.open() && fixture.b.open() && c.open()));
}
