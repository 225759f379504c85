// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/cpu_times_of.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <ctime>
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

bool grows(CpuTimesOf const& thread) {
  auto const before = thread.so_far().waited;
  auto const limit = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < limit)
    if (thread.so_far().waited > before + 10ms) return true;
  return false;
}

} // namespace

TEST_CASE("what a thread waits for a CPU is counted, of this thread and of another process") {
  Competitor const other;
  CHECK(grows(CpuTimesOf::this_thread()));
  CHECK(grows(CpuTimesOf::process(other.process())));
}

TEST_CASE("the time on a CPU is that of the thread's own clock") {
  auto const own_clock = [] {
    timespec time{};
    REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  CpuTimesOf const thread = CpuTimesOf::this_thread();
  auto const before = own_clock();
  // The kernel counts at its ticks, or later where a hypervisor takes them.
  while (thread.so_far().used < before + 30ms && own_clock() < before + 1s) {
  }
  CHECK(thread.so_far().used >= before + 30ms);
  CHECK(thread.so_far().used <= own_clock());
}

TEST_CASE("of nobody, and of a process that does not exist, it is nothing") {
  CHECK(CpuTimesOf().so_far().waited == 0ns);
  CHECK(CpuTimesOf::process(0).so_far().used == 0ns);
}
