// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/slots.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::placement;

namespace {

constexpr std::size_t slots = shared::slot_count;

} // namespace

TEST_CASE("the slots of a domain and of a user are limited") {
  CHECK_FALSE(no_slot(
      {.domain = "d", .names_itself = true, .tasks_of_domain = 255, .tasks_of_user = 511, .taken = 700}));
  CHECK(no_slot({.domain = "d", .tasks_of_domain = 256, .taken = 256}) ==
        "domain d has 256 tasks, the limit per domain: end one");
  CHECK(no_slot({.domain = "d", .user = 7, .names_itself = true, .tasks_of_user = 512, .taken = 512}) ==
        "user 7 has 512 tasks, the limit per user: end one");
}

TEST_CASE("containers of one user have slots each") {
  CHECK_FALSE(no_slot({.domain = "d", .user = 0, .tasks_of_user = 600, .taken = 600}));
}

TEST_CASE("the last quarter of the slots is kept for domains and users without a task") {
  std::size_t const taken = slots - slots / 4;
  // Who names its domains itself could have a new one for each task.
  CHECK(no_slot({.domain = "new", .names_itself = true, .tasks_of_user = 1, .taken = taken}) ==
        "there are 768 tasks; the last 256 are kept for users without a task: end one");
  CHECK(no_slot({.domain = "d", .tasks_of_domain = 1, .tasks_of_user = 1, .taken = taken}) ==
        "there are 768 tasks; the last 256 are kept for domains without a task: end one");
  CHECK_FALSE(no_slot({.domain = "d", .tasks_of_domain = 1, .tasks_of_user = 1, .taken = taken - 1}));
  for (bool const names_itself : {false, true})
    CHECK_FALSE(no_slot({.domain = "new", .names_itself = names_itself, .taken = slots - 1}));
  CHECK_FALSE(no_slot({.domain = "new", .tasks_of_user = 1, .taken = slots - 1}));
}

TEST_CASE("a guest with a device finds a slot for its first task, however many came before") {
  CHECK_FALSE(no_slot({.domain = "d", .taken = slots - 4, .guests_that_wait = 3}));
  CHECK(no_slot({.domain = "d", .taken = slots - 3, .guests_that_wait = 3}) ==
        "there are 1021 tasks, the limit of one pegasusd (3 are kept for guests without a task): end "
        "one");
  CHECK(no_slot(
      {.domain = "g", .of_guest = true, .tasks_of_domain = 1, .taken = slots - 3, .guests_that_wait = 3}));
  CHECK_FALSE(no_slot({.domain = "g", .of_guest = true, .taken = slots - 3, .guests_that_wait = 3}));
  CHECK_FALSE(no_slot({.domain = "g", .of_guest = true, .taken = slots - 1, .guests_that_wait = 1}));
  CHECK(no_slot({.domain = "g", .of_guest = true, .taken = slots, .guests_that_wait = 1}) ==
        "there are 1024 tasks, the limit of one pegasusd: end one");
}
