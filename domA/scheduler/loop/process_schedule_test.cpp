// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/process_schedule.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus::scheduler;
using pegasus::monitor::CreditWindow;
using namespace std::chrono_literals;

namespace {

// A child that computes or sleeps until it is killed.
struct Child {
  explicit Child(bool computes) : pid(fork()) {
    if (pid != 0) return;
    std::atomic<unsigned> rounds = 0;
    while (++rounds > 0)
      if (!computes) pause();
  }
  ~Child() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  pid_t pid;
};

// Waits until the process is in the wanted state; bounded.
bool becomes(pid_t process, bool running) {
  for (int i = 0; i < 5000; ++i) {
    if (ProcessSchedule::running(process) == running) return true;
    usleep(1000);
  }
  return false;
}

} // namespace

TEST_CASE("a process that computes runs, one that sleeps does not") {
  Child const busy(true);
  Child const idle(false);
  CHECK(becomes(busy.pid, true));
  CHECK(becomes(idle.pid, false));
}

TEST_CASE("credit is what a process left of its last period") {
  ProcessSchedule schedule;
  Child const busy(true);
  Child const idle(false);
  REQUIRE(becomes(busy.pid, true));
  REQUIRE(becomes(idle.pid, false));
  Time now{1s};
  CHECK(schedule.credit_left(idle.pid, now) == CreditWindow::period); // nothing is known yet
  CHECK(schedule.credit_left(busy.pid, now) == CreditWindow::period);
  usleep(100'000);
  now += 40ms; // by the caller's clock; the time used since is more
  CHECK(schedule.credit_left(idle.pid, now) > CreditWindow::period / 2);
  CHECK(schedule.credit_left(busy.pid, now) < schedule.credit_left(idle.pid, now));
}

TEST_CASE("a process that is gone runs no more") {
  pid_t gone = 0;
  {
    Child const child(true);
    gone = child.pid;
  }
  CHECK_FALSE(ProcessSchedule::running(gone));
  ProcessSchedule schedule;
  CHECK(schedule.credit_left(gone, Time{1s}) == CreditWindow::period);
}
