// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/process_schedule.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pegasus::scheduler;
using pegasus::monitor::CreditWindow;
using namespace std::chrono_literals;

namespace {

// A child that does something until it is killed.
struct Child {
  explicit Child(void (*doing)()) : pid(fork()) {
    if (pid != 0) return;
    for (;;)
      doing();
  }
  ~Child() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  pid_t pid;
};

void compute() {
  std::atomic<unsigned> rounds = 0;
  while (++rounds > 0) {
  }
}
void sleep() { pause(); }
void start_a_thread() { std::thread(sched_yield).join(); }

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
  Child const busy(compute);
  Child const idle(sleep);
  CHECK(becomes(busy.pid, true));
  CHECK(becomes(idle.pid, false));
}

TEST_CASE("credit is what a process left of its last period") {
  ProcessSchedule schedule;
  Child const busy(compute);
  Child const idle(sleep);
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
    Child const child(compute);
    gone = child.pid;
  }
  CHECK_FALSE(ProcessSchedule::running(gone));
  ProcessSchedule schedule;
  CHECK(schedule.credit_left(gone, Time{1s}) == CreditWindow::period);
}

// Linux says "no such process" to who reads a file of a thread that ended after the file was opened.
TEST_CASE("threads that end while they are looked at do no harm") {
  Child const child(start_a_thread);
  ProcessSchedule schedule;
  for (Time now{1s}; now < Time{21s}; now += 1ms) {
    CHECK_NOTHROW(ProcessSchedule::running(child.pid));
    CHECK_NOTHROW(schedule.credit_left(child.pid, now));
  }
}
