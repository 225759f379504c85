// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/nested_scheduler.h"

#include "nested/guest/testing/fake_processes.h"
#include "nested/guest/testing/totals_in_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

using namespace pegasus;
using namespace pegasus::nested;
using namespace pegasus::nested::testing;
using namespace std::chrono_literals;

namespace {

struct NestedGuest {
  struct Task {
    std::uint32_t task, process;
    std::chrono::nanoseconds used;
  };
  void look(std::vector<Task> const& tasks) {
    totals.pages.tasks = static_cast<std::uint32_t>(tasks.size());
    std::ranges::transform(tasks, totals.pages.task, [](Task const& each) {
      return pegasus_task_total{.task = each.task,
                                .process = each.process,
                                .device_ns = static_cast<std::uint64_t>(each.used.count()),
                                .calling = 1,
                                .reserved = {}};
    });
    REQUIRE(scheduler->look(now += 1ms));
  }

  FakeProcesses processes;
  TotalsInMemory totals;
  std::chrono::nanoseconds now{0};
  std::vector<std::string> problems; // as reported
  std::optional<NestedScheduler> scheduler{std::in_place,
                                           FairStopper::Settings{},
                                           NestedScheduler::Weights{},
                                           TotalsReader(totals),
                                           processes,
                                           [this](auto const& problem) { problems.push_back(problem); }};
};

} // namespace

TEST_CASE_METHOD(NestedGuest, "the program that is ahead is stopped, and continues when the scheduler ends") {
  auto const ahead = processes.start(10), behind = processes.start(20);
  look({{1, 10, 0ms}, {2, 20, 0ms}});
  look({{1, 10, 5ms}, {2, 20, 0ms}});
  CHECK(ahead->stopped);
  CHECK_FALSE(behind->stopped);
  scheduler.reset();
  CHECK_FALSE(ahead->stopped);
  CHECK(processes.handles() == 0);
}

TEST_CASE_METHOD(NestedGuest, "a process that does not use CUDA is left alone, whatever a task says") {
  auto const other = processes.start(10, "other", false);
  processes.start(20);
  look({{1, 10, 0ms}, {2, 20, 0ms}});
  look({{1, 10, 5ms}, {2, 20, 0ms}});
  CHECK_FALSE(other->stopped);
  CHECK_FALSE(processes.signalled_others());
  CHECK(problems ==
        std::vector<std::string>{"process 10 (other) is not stopped: it does not use CUDA, or is another "
                                 "user's"});
}

TEST_CASE_METHOD(NestedGuest, "the tasks of one process are one program") {
  auto const two = processes.start(10), one = processes.start(20);
  look({{1, 10, 0ms}, {2, 10, 0ms}, {3, 20, 0ms}});
  look({{1, 10, 5ms}, {2, 10, 0ms}, {3, 20, 3ms}});
  CHECK_FALSE(two->stopped); // ahead by no more than the lag
  look({{1, 10, 5ms}, {2, 10, 2ms}, {3, 20, 3ms}});
  CHECK(two->stopped);
  look({{1, 10, 5ms}, {3, 20, 3ms}}); // its debt does not end with a task
  CHECK(two->stopped);
  look({{1, 10, 5ms}, {3, 20, 10ms}});
  CHECK_FALSE(two->stopped);
  CHECK(one->stopped);
}

TEST_CASE_METHOD(NestedGuest, "a task that ends does not continue a program for which another one is ahead") {
  auto const program = processes.start(10);
  processes.start(20);
  look({{1, 10, 0ms}, {2, 10, 0ms}, {3, 20, 0ms}});
  look({{1, 10, 5ms}, {2, 10, 5ms}, {3, 20, 0ms}});
  CHECK(program->stopped);
  look({{2, 10, 5ms}, {3, 20, 0ms}});
  CHECK(program->stopped);
}

TEST_CASE_METHOD(NestedGuest, "a process that got the number of one that ended is another program") {
  processes.start(10);
  processes.start(20);
  look({{1, 10, 0ms}, {2, 20, 0ms}});
  auto const later = processes.start(10);
  look({{1, 10, 0ms}, {2, 20, 0ms}, {3, 10, 0ms}}); // the first one's task is leaving
  look({{2, 20, 0ms}, {3, 10, 5ms}});
  CHECK(later->stopped);
}

TEST_CASE_METHOD(NestedGuest, "a program's name cannot move the cursor") {
  processes.start(10, "a\x1b[2J\tb");
  look({{1, 10, 0ms}});
  REQUIRE(scheduler->shares().size() == 1);
  CHECK(scheduler->shares().front().program->name() == "a?[2J?b");
}

TEST_CASE_METHOD(NestedGuest, "the shares of all programs add up") {
  processes.start(10);
  processes.start(20);
  look({{1, 10, 1ms}, {2, 10, 1ms}, {3, 20, 2ms}});
  look({{1, 10, 2ms}, {2, 10, 3ms}, {3, 20, 3ms}});
  (void)scheduler->shares();
  look({{1, 10, 3ms}, {2, 10, 4ms}, {3, 20, 5ms}});
  auto const shares = scheduler->shares();
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].share == Approx(0.5));
  CHECK(shares[1].share == Approx(0.5));
}
