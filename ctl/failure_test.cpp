// SPDX-License-Identifier: Apache-2.0
#include "ctl/failure.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::ctl;

TEST_CASE("the exit status says what can be done about a client's error") {
  using Kind = control::ClientErrorKind;
  constexpr std::pair<Kind, int> statuses[] = {{Kind::usage, 2},  {Kind::absent, 3},  {Kind::forbidden, 3},
                                               {Kind::silent, 3}, {Kind::refused, 4}, {Kind::broken, 3}};
  for (auto const& [kind, status] : statuses)
    CHECK(failure_of({kind, "no"}).exit_status() == status);
}

TEST_CASE("the daemon's messages are escaped for the terminal") {
  Failure const failure = failure_of({control::ClientErrorKind::usage, "there are: none, accc\x1b[2J"});
  CHECK(failure.kind == FailureKind::usage);
  CHECK(failure.message == "there are: none, accc?[2J");
}

TEST_CASE("without a daemon the message says how to name one") {
  CHECK(failure_of({control::ClientErrorKind::absent, "no pegasusd is running at x: start one"}).message ==
        "no pegasusd is running at x: start one, or name its directory with --daemon");
}
