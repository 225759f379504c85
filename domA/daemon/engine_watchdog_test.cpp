// SPDX-License-Identifier: Apache-2.0
// The pages of two workers and of the engine, written by the test.
#include "domA/daemon/engine_watchdog.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace pegasus;
using namespace std::chrono_literals;
using daemon::EngineWatchdog;

namespace {

constexpr std::uint32_t honest = 1, other = 2; // slots

struct Fixture {
  boost::asio::io_context io{1};
  std::unique_ptr<shared::EnginePage> page = std::make_unique<shared::EnginePage>();
  gate::UsagePage usage[3]{};
  EngineWatchdog watch{
      io,
      *page,
      {.limit = 60ms,
       .tasks =
           [this] {
             return std::vector<EngineWatchdog::Task>{{honest, &usage[honest]}, {other, &usage[other]}};
           },
       .period = 5ms}};

  Fixture() { page->owner = other + 1; }
  void waits(std::uint32_t slot) { usage[slot].activity = gate::Activity::running; }
  void passes(std::chrono::milliseconds time, bool honest_gets_on = false) {
    watch.tasks_changed(2);
    auto const until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      usage[honest].calls += honest_gets_on ? 1 : 0;
      io.run_for(2ms);
    }
    watch.tasks_changed(0);
    io.run_for(2ms);
  }
};

} // namespace

TEST_CASE("an engine that a worker waits for without end is taken from the worker that its page names") {
  Fixture test;
  test.waits(honest);
  test.waits(other); // as its page claims
  test.passes(200ms);
  CHECK(shared::owner(*test.page) == shared::no_slot);
}

TEST_CASE("not before the limit, nor from a worker beside which others go on, nor while none waits") {
  Fixture test;
  test.waits(honest);
  SECTION("before the limit") { test.passes(30ms); }
  SECTION("it gets on") { test.passes(150ms, true); }
  SECTION("it executes") {
    test.usage[honest].executing_since_ns = 1;
    test.passes(150ms);
  }
  SECTION("it is idle") {
    test.usage[honest].activity = gate::Activity::idle;
    test.passes(150ms);
  }
  SECTION("it has stopped for its gate") {
    test.usage[honest].activity = gate::Activity::waiting;
    test.passes(150ms);
  }
  CHECK(shared::owner(*test.page) == other);
}
