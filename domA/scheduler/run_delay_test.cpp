// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/run_delay.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// Another process on the CPU of this thread, which always wants it. This thread stays on that CPU.
class Competitor {
public:
  Competitor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_getaffinity(0, sizeof before_, &before_) == 0);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    process_ = fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        asm volatile("");
    }
  }
  ~Competitor() {
    kill(process_, SIGKILL);
    (void)waitpid(process_, nullptr, 0);
    (void)sched_setaffinity(0, sizeof before_, &before_);
  }
  [[nodiscard]] pid_t process() const { return process_; }

private:
  cpu_set_t before_{};
  pid_t process_ = 0;
};

bool grows(RunDelay const& delay) {
  auto const before = delay.so_far();
  auto const limit = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < limit)
    if (delay.so_far() > before + 10ms) return true;
  return false;
}

} // namespace

TEST_CASE("what a thread waits for a CPU is counted, of this thread and of another process") {
  Competitor const other;
  CHECK(grows(RunDelay::of_this_thread()));
  CHECK(grows(RunDelay::of_process(other.process())));
}

TEST_CASE("of nobody, and of a process that does not exist, it is nothing") {
  CHECK(RunDelay().so_far() == 0ns);
  CHECK(RunDelay::of_process(0).so_far() == 0ns);
}
