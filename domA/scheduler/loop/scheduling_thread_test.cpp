// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/scheduling_thread.h"

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <stdexcept>

using pegasus::scheduler::SchedulingThread;
using namespace std::chrono_literals;

TEST_CASE("work is done on the thread, in order, and its result comes back") {
  SchedulingThread scheduling;
  auto const there = scheduling([] { return std::this_thread::get_id(); });
  CHECK(there != std::this_thread::get_id());
  int count = 0; // not accessed by other threads meanwhile
  for (int i = 0; i < 1000; ++i)
    scheduling([&] { ++count; });
  CHECK(count == 1000);
}

TEST_CASE("what fails there is the caller's, and the thread goes on") {
  SchedulingThread scheduling;
  CHECK_THROWS_AS(scheduling([] { throw std::runtime_error("no descriptors"); }), std::runtime_error);
  std::atomic<bool> done{false};
  boost::asio::post(scheduling.io(), [] { throw std::runtime_error("not caught"); });
  boost::asio::post(scheduling.io(), [&] { done = true; });
  CHECK(scheduling([&] { return done.load(); }));
}

TEST_CASE("timers run without requests, and none after it has stopped") {
  SchedulingThread scheduling;
  std::atomic<int> ticks{0};
  boost::asio::steady_timer timer(scheduling.io());
  std::function<void()> tick = [&] {
    ++ticks;
    timer.expires_after(1ms);
    timer.async_wait([&](boost::system::error_code error) {
      if (!error) tick();
    });
  };
  scheduling(tick);
  while (ticks < 5)
    std::this_thread::sleep_for(1ms);
  scheduling.stop();
  int const then = ticks;
  std::this_thread::sleep_for(20ms);
  CHECK(ticks == then);
  CHECK(scheduling([] { return std::this_thread::get_id(); }) == std::this_thread::get_id());
}

TEST_CASE("signals are left to the other threads") {
  SchedulingThread scheduling;
  CHECK(scheduling([] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGINT) == 1;
  }));
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGTERM) == 0);
}
