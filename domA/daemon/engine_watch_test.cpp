// SPDX-License-Identifier: Apache-2.0
// Two workers' pages and the engine's, in the hands of the test.
#include "domA/daemon/engine_watch.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace pegasus;
using namespace std::chrono_literals;
using daemon::EngineWatch;

namespace {

constexpr std::uint32_t honest = 1, other = 2; // seats

struct Fixture {
  boost::asio::io_context io{1};
  std::unique_ptr<software::EnginePage> page = std::make_unique<software::EnginePage>();
  gate::UsagePage usage[3]{};
  std::uint32_t domain[3]{0, 1, 2};
  std::vector<std::uint32_t> given_up;
  EngineWatch watch{io,
                    *page,
                    {.limit = 60ms,
                     .tasks =
                         [this] {
                           return std::vector<EngineWatch::Task>{{honest, domain[honest], &usage[honest]},
                                                                 {other, domain[other], &usage[other]}};
                         },
                     .give_up = [this](std::uint32_t seat) { given_up.push_back(seat); },
                     .period = 5ms}};

  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  void executes(std::uint32_t seat) {
    usage[seat].activity = gate::Activity::running;
    usage[seat].executing_since_ns = now();
  }
  void waits(std::uint32_t seat) {
    usage[seat].activity = gate::Activity::running;
    usage[seat].executing_since_ns = 0;
  }
  // Meanwhile `busy` executes one short kernel after the other.
  void passes(std::chrono::milliseconds time, std::uint32_t busy = 0) {
    watch.tasks_changed(2);
    auto const until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      if (busy != 0) {
        executes(busy);
        ++usage[busy].calls;
      }
      io.run_for(2ms);
    }
    watch.tasks_changed(0);
    io.run_for(2ms);
  }
};

} // namespace

TEST_CASE("who executes for longer than the limit while another domain waits is given up") {
  Fixture test;
  test.executes(other);
  test.waits(honest);
  test.passes(200ms);
  REQUIRE_FALSE(test.given_up.empty());
  CHECK(test.given_up.front() == other);
}

TEST_CASE("not while nobody waits, nor for a task of the same domain, nor before the limit") {
  Fixture test;
  test.executes(other);
  SECTION("the other one is idle") { test.usage[honest].activity = gate::Activity::idle; }
  SECTION("the other one has stopped for its gate") { test.usage[honest].activity = gate::Activity::waiting; }
  SECTION("the same domain") {
    test.waits(honest);
    test.domain[honest] = test.domain[other];
  }
  test.passes(150ms);
  CHECK(test.given_up.empty());
  test.executes(other);
  test.waits(honest);
  test.passes(20ms);
  CHECK(test.given_up.empty());
}

TEST_CASE("what a worker writes into the engine's page has nobody else given up") {
  Fixture test;
  test.page->owner = honest + 1;
  test.page->seat[honest].since_ns = 1;
  test.page->waiting[0] = std::uint64_t{1} << other;
  test.waits(other); // so it says
  test.passes(200ms, honest);
  CHECK(test.given_up.empty());
}

TEST_CASE("an engine that nobody says to have is taken from whom its page names") {
  Fixture test;
  test.page->owner = other + 1;
  test.waits(honest);
  test.waits(other);
  test.passes(200ms);
  CHECK(test.given_up.empty());
  CHECK(software::owner(*test.page) == software::no_seat);
}
