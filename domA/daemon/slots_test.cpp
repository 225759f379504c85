// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/slots.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::daemon;

TEST_CASE("a domain and a user have a part of the slots at most") {
  CHECK_FALSE(no_slot({.domain = "d", .tasks_of_domain = 255, .tasks_of_user = 511, .taken = 1000}));
  CHECK(no_slot({.domain = "d", .tasks_of_domain = 256, .taken = 256}) ==
        "domain d has 256 tasks already, the most of one domain: end one");
  CHECK(no_slot({.domain = "d", .user = 7, .tasks_of_user = 512, .taken = 512}) ==
        "user 7 has 512 tasks already, the most of one user: end one");
}

TEST_CASE("a guest with a device finds a slot for its first task, however many came before") {
  std::size_t const slots = shared::slot_count;
  CHECK_FALSE(no_slot({.domain = "d", .taken = slots - 4, .guests_that_wait = 3}));
  CHECK(no_slot({.domain = "d", .taken = slots - 3, .guests_that_wait = 3}) ==
        "there are 1021 tasks already, the most that are served (3 are kept for guests without a task): end "
        "one");
  CHECK(no_slot(
      {.domain = "g", .of_guest = true, .tasks_of_domain = 1, .taken = slots - 3, .guests_that_wait = 3}));
  CHECK_FALSE(no_slot({.domain = "g", .of_guest = true, .taken = slots - 3, .guests_that_wait = 3}));
  CHECK_FALSE(no_slot({.domain = "g", .of_guest = true, .taken = slots - 1, .guests_that_wait = 1}));
  CHECK(no_slot({.domain = "g", .of_guest = true, .taken = slots, .guests_that_wait = 1}) ==
        "there are 1024 tasks already, the most that are served: end one");
}
