// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/scheduler_loop.h"

#include "base/order_signal.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <stdexcept>
#include <sys/eventfd.h>
#include <unistd.h>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

struct Fixture {
  boost::asio::io_context io{1};
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  CpuScheduleSampler cpu_watch{io,
                               {.on_device = [] { return std::vector<Caller>(); },
                                .now = [this] { return Time{std::chrono::steady_clock::now() - started}; }}};
  std::vector<TaskId> given_up;
  std::vector<Answered> answers;
  bool answers_fail = false;
  Dispatcher::Setup dispatcher;
  SchedulerLoop loop{io,
                     {.dispatcher = dispatcher,
                      .cpu_watch = cpu_watch,
                      .give_up = [this](TaskId task) { given_up.push_back(task); },
                      .answered =
                          [this](Answered const& answered) {
                            if (std::exchange(answers_fail, false)) throw std::runtime_error("answers fail");
                            answers.push_back(answered);
                          },
                      .started = started}};
  gate::GatePage gate[2]{};
  gate::UsagePage usage[2]{};
  int const kick[2] = {eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK)};

  Fixture()
      : Fixture(
            Dispatcher::Setup{.policy = policies::find("rr"), .tunables = {.tick = 5ms}, .runaway = 30ms}) {}
  explicit Fixture(Dispatcher::Setup const& setup) : dispatcher(setup) {
    loop.set_domain(10, {});
    loop.set_domain(20, {});
    for (TaskId const task : {0U, 1U})
      REQUIRE(loop.attach(task, task == 0 ? 10 : 20, {gate[task], usage[task]}, kick[task], getpid()));
  }
  ~Fixture() {
    close(kick[0]);
    close(kick[1]);
  }
  [[nodiscard]] bool open(int worker) const { return (gate[worker].word.load() & gate::word_open) != 0; }
  void kick_from(int worker) const {
    std::uint64_t const one = 1;
    REQUIRE(write(kick[worker], &one, sizeof one) == sizeof one);
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

TEST_CASE("a kick is a scheduling point, and so is the end of a time slice") {
  Fixture fixture;
  fixture.usage[0].activity = gate::Activity::running;
  fixture.kick_from(0);
  fixture.run_until([&] { return fixture.open(0); });
  fixture.usage[1].activity = gate::Activity::waiting;
  fixture.kick_from(1);
  fixture.run_until([&] { return !fixture.open(0); });
  CHECK_FALSE(fixture.open(1)); // the first one still runs
  fixture.run_until([&] { return !fixture.given_up.empty(); });
  CHECK(fixture.given_up.front() == 0);
  fixture.loop.detach(0);
  CHECK(fixture.open(1));
}

TEST_CASE("the policy knows what it costs the device to change its owner") {
  for (policies::Nanos const cost : {policies::Nanos{0}, policies::Nanos{1ms}}) {
    Fixture fixture({.policy = policies::find("lead"), .tunables = {}, .runaway = 30ms, .switch_cost = cost});
    for (int const worker : {0, 1}) {
      fixture.usage[worker].activity = gate::Activity::waiting;
      fixture.kick_from(worker);
    }
    fixture.run_until([&] { return fixture.open(0); });
    CHECK(fixture.open(1) == (cost == 0ms)); // lead lets both use a device that costs nothing
  }
}

TEST_CASE("an order interrupts a worker without calls, and its answer is passed on") {
  static volatile std::sig_atomic_t interruptions = 0;
  Fixture fixture;
  auto* const before = std::signal(base::order_signal, [](int) { interruptions = interruptions + 1; });
  fixture.usage[1].answered.store(fixture.gate[1].order); // it has started
  fixture.kick_from(1);
  REQUIRE(fixture.loop.order(1, {.kind = gate::OrderKind::nothing, .amount = 5}));
  fixture.run_until([&] { return interruptions > 1; }); // again, in case it came before the worker slept
  gate::obey_order(fixture.gate[1], fixture.usage[1],
                   [](gate::Order const& order) { return gate::Answer{.amount = order.amount}; });
  fixture.kick_from(1);
  fixture.run_until([&] { return !fixture.answers.empty(); });
  std::signal(base::order_signal, before);
  CHECK(fixture.answers ==
        std::vector{Answered{1, {.kind = gate::OrderKind::nothing, .amount = 5}, {.amount = 5}}});
  CHECK(fixture.given_up.empty());
}

TEST_CASE("a failure at one scheduling point does not end the scheduling") {
  Fixture fixture;
  auto* const before = std::signal(base::order_signal, SIG_IGN);
  fixture.usage[1].answered.store(fixture.gate[1].order); // it has started
  fixture.kick_from(1);
  REQUIRE(fixture.loop.order(1, {.kind = gate::OrderKind::nothing}));
  fixture.run_until([&] { return fixture.gate[1].order != fixture.usage[1].answered; });
  gate::obey_order(fixture.gate[1], fixture.usage[1], [](gate::Order const&) { return gate::Answer{}; });
  fixture.answers_fail = true;
  fixture.kick_from(1);
  fixture.run_until([&] { return !fixture.answers_fail; });
  std::signal(base::order_signal, before);
  std::uint64_t const points = fixture.loop.points();
  fixture.run_until([&] { return fixture.loop.points() > points; }); // by the time
  fixture.usage[0].activity = gate::Activity::running;
  fixture.kick_from(0);
  fixture.run_until([&] { return fixture.open(0); }); // and by a kick
}

TEST_CASE("a worker that kicks without end leaves time for others") {
  Fixture fixture;
  std::uint64_t const before = fixture.loop.points();
  auto const began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < 20ms) {
    fixture.kick_from(0);
    fixture.io.restart();
    fixture.io.poll();
  }
  std::uint64_t const points = fixture.loop.points() - before;
  // asio may end a pause slightly early
  CHECK(points <=
        KickLimit::burst + static_cast<std::uint64_t>((std::chrono::steady_clock::now() - began) / 40us));
  CHECK(points > KickLimit::burst);
}

TEST_CASE("kicks are served at once, but for a storm of them") {
  KickLimit limit;
  Time now{10ms};
  for (int kick = 0; kick < KickLimit::burst; ++kick)
    CHECK(limit.served(now) == 0ns);
  CHECK(limit.served(now) == KickLimit::period);
  now += KickLimit::period;
  CHECK(limit.served(now) == KickLimit::period);
  now += 1h; // no more than a burst is saved up
  for (int kick = 0; kick < KickLimit::burst; ++kick)
    CHECK(limit.served(now) == 0ns);
  CHECK(limit.served(now) == KickLimit::period);
}

TEST_CASE("a task that kicked is known, also beside one that kicks all the time") {
  Kicks kicks;
  int const noisy = eventfd(0, EFD_NONBLOCK);
  int const quiet = eventfd(0, EFD_NONBLOCK);
  CHECK_FALSE(kicks.attach(6, -1));
  REQUIRE(kicks.attach(7, noisy));
  REQUIRE(kicks.attach(8, quiet));
  CHECK(kicks.take().empty());
  CHECK(eventfd_write(noisy, 1) == 0);
  CHECK(eventfd_write(noisy, 1) == 0);
  CHECK(kicks.take() == std::vector<TaskId>{7});
  CHECK(kicks.take().empty()); // although the counter was not read
  CHECK(eventfd_write(noisy, 1) == 0);
  CHECK(eventfd_write(quiet, 1) == 0);
  CHECK(kicks.take().size() == 2);
  kicks.detach(7);
  CHECK(eventfd_write(noisy, 1) == 0);
  CHECK(kicks.take().empty());
  close(noisy);
  close(quiet);
}
