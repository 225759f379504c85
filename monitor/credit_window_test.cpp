// SPDX-License-Identifier: Apache-2.0
#include "monitor/credit_window.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

TEST_CASE("credit is what was left of the period before") {
  CreditWindow window;
  CHECK(window.due(Time{1s}));
  CHECK(window.left() == 30ms); // nothing is known yet
  window.learn(500ms, Time{1s});
  CHECK(window.left() == 30ms);
  CHECK_FALSE(window.due(Time{1029ms}));
  CHECK(window.due(Time{1030ms}));
  window.learn(510ms, Time{1030ms});
  CHECK(window.left() == 20ms);
  window.learn(540ms, Time{1090ms}); // half of a longer one
  CHECK(window.left() == 15ms);
  window.learn(740ms, Time{1120ms}); // several threads at once
  CHECK(window.left() == 0ms);
  window.learn(740ms, Time{1120ms}); // no time has passed
  CHECK(window.left() == 0ms);
  window.learn(700ms, Time{1150ms}); // another process has the number
  CHECK(window.left() == 30ms);
}
