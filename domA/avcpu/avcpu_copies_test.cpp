// SPDX-License-Identifier: Apache-2.0
// When a copy counts as completed: once the device has read what the guest gave.
#include "domA/avcpu/testing/task.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using avcpu::testing::Task;

TEST_CASE("a copy is completed when the device has read it, and what follows not before") {
  Task task;
  task.open(true);
  auto const first = task.copy(), second = task.copy(), fill = task.posted();
  task.steps(3);
  CHECK(task.completed() == first - 1);
  CHECK_FALSE(task.vcpu.retire());
  REQUIRE(task.context->read_one());
  CHECK(task.vcpu.retire());
  CHECK(task.completed() == second - 1);
  REQUIRE(task.context->read_one());
  CHECK(task.vcpu.retire());
  CHECK(task.completed() == fill);
  CHECK_FALSE(task.vcpu.retire());
}

TEST_CASE("a copy that ends while the next one begins is not taken for it") {
  Task task;
  task.open(true);
  auto const first = task.copy();
  task.steps(1);
  REQUIRE(task.context->read_one());
  auto const second = task.copy();
  task.steps(1);
  CHECK(task.completed() == first);
  REQUIRE(task.context->read_one());
  CHECK(task.vcpu.retire());
  CHECK(task.completed() == second);
}

TEST_CASE("a copy that was refused is not waited for") {
  Task task;
  task.open(true);
  auto const refused = task.copy(~0ull);
  task.steps(1);
  CHECK(task.completed() == refused);
}

TEST_CASE("a reply tells that all before it are completed") {
  Task task;
  task.open(true);
  task.copy();
  auto const ping = task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1});
  task.steps(2);
  CHECK(task.context->finishes == 1);
  CHECK_FALSE(task.context->read_one()); // none was left
  CHECK(task.reply(ping).sequence == ping);
  CHECK(task.completed() == ping);
}

TEST_CASE("an aVCPU is not idle before its copies were read, and then they are completed") {
  Task task;
  task.open(true);
  auto const copied = task.copy();
  task.steps(1);
  CHECK_FALSE(task.vcpu.idle());
  CHECK(task.completed() == copied - 1);
  REQUIRE(task.context->read_one());
  CHECK(task.vcpu.retire());
  CHECK(task.vcpu.idle());
  CHECK(task.completed() == copied);
}

TEST_CASE("a guest that gives more than an arena holds makes the worker wait, not grow") {
  Task task;
  task.open(true);
  for (unsigned i = 0; i < 1000; ++i) {
    task.copy();
    task.steps(1);
    REQUIRE(task.next - task.completed() < 100);
  }
  CHECK(task.context->finishes > 1);
}

TEST_CASE("a new context has no copies of the old one") {
  Task task;
  task.open(true);
  task.copy();
  auto const reset = task.publish(PEGASUS_CALL_CONTEXT_RESET, pegasus_context_reset_request{});
  task.steps(2);
  CHECK(task.completed() == reset);
  auto const copied = task.copy();
  task.steps(1);
  CHECK(task.completed() == copied - 1);
}
