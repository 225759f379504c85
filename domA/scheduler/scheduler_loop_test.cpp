// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/scheduler_loop.h"

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

struct Bench {
  boost::asio::io_context io{1};
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  CpuWatch cpu_watch{io,
                     {.on_device = [] { return std::vector<DomainId>(); },
                      .now = [this] { return std::chrono::steady_clock::now() - started; }}};
  std::vector<TaskId> given_up;
  SchedulerLoop loop{
      io,
      {.dispatcher = {.policy = policies::find("rr"), .tunables = {.tick = 5ms}, .runaway = 30ms},
       .cpu_watch = cpu_watch,
       .give_up = [this](TaskId task) { given_up.push_back(task); },
       .started = started}};
  gate::GatePage gate[2]{};
  gate::UsagePage usage[2]{};

  Bench() {
    loop.set_domain(10, {});
    loop.set_domain(20, {});
    loop.attach(1, 10, gate[0], usage[0]);
    loop.attach(2, 20, gate[1], usage[1]);
  }
  [[nodiscard]] bool open(int worker) const { return (gate[worker].word.load() & gate::word_open) != 0; }
  void ring() {
    std::uint64_t const one = 1;
    REQUIRE(write(loop.bell_fd(), &one, sizeof one) == sizeof one);
  }
  template <class Condition> void run_until(Condition condition) {
    auto const deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      io.restart();
      io.run_for(1ms);
    }
  }
};

} // namespace

TEST_CASE("a bell is a scheduling point, and so is the end of a turn") {
  Bench bench;
  bench.usage[0].activity = gate::Activity::running;
  bench.ring();
  bench.run_until([&] { return bench.open(0); });
  bench.usage[1].activity = gate::Activity::waiting;
  bench.ring();
  bench.run_until([&] { return !bench.open(0); });
  CHECK_FALSE(bench.open(1)); // the first still runs
  bench.run_until([&] { return !bench.given_up.empty(); });
  CHECK(bench.given_up.front() == 1);
  bench.loop.detach(1);
  CHECK(bench.open(1));
  bench.loop.stop();
  bench.cpu_watch.stop();
}

TEST_CASE("a bell that rings without end leaves time for others") {
  Bench bench;
  std::uint64_t const before = bench.loop.points();
  auto const began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < 20ms) {
    bench.ring();
    bench.io.restart();
    bench.io.poll();
  }
  // One a pause of 50 us, whose end asio may see a little early.
  std::uint64_t const points = bench.loop.points() - before;
  CHECK(points <= static_cast<std::uint64_t>((std::chrono::steady_clock::now() - began) / 40us));
  CHECK(points > 0);
  bench.loop.stop();
}
