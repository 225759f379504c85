// SPDX-License-Identifier: Apache-2.0
#include "nested/fair_stopper.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::nested;
using namespace std::chrono_literals;

namespace {

using Nanos = std::chrono::nanoseconds;
using Stopped = std::vector<std::uint32_t>;

constexpr FairStopper::Settings usual{};

// A program that makes a call, then computes.
struct Program {
  std::uint32_t task;
  Nanos kernel;
  Nanos gap{0};
  double weight = 1;
  unsigned queued = 1; // calls that it makes at a time

  Nanos used{0};
  Nanos calls_at{0}; // after its gap
  unsigned left = 0; // of its calls
};

// A device that executes one kernel of each program in turn, and a guest that looks once a millisecond.
class Guest {
public:
  explicit Guest(std::vector<Program> programs, FairStopper::Settings settings = usual)
      : programs_(std::move(programs)), stopper_(settings) {}

  void run(Nanos span) {
    for (Nanos const end = now_ + span; now_ < end;) {
      Program* const next = next_with_calls();
      Nanos const until = next != nullptr ? now_ + next->kernel : sample_at_ + 1ms;
      while (sample_at_ < until)
        sample(sample_at_, next);
      now_ = until;
      if (next == nullptr) continue;
      next->used += next->kernel;
      if (--next->left == 0) next->calls_at = now_ + next->gap;
    }
  }
  void add(Program const& program) { programs_.push_back(program); }
  [[nodiscard]] Nanos used(std::size_t index) const { return programs_[index].used; }
  [[nodiscard]] double ratio(std::size_t one, std::size_t other) const {
    return std::chrono::duration<double>(used(one)) / used(other);
  }

private:
  Program* next_with_calls() {
    for (std::size_t n = 0; n < programs_.size(); ++n) {
      last_ = (last_ + 1) % programs_.size();
      Program& program = programs_[last_];
      bool const stopped = std::ranges::binary_search(stopped_, program.task);
      if (program.left == 0 && !stopped && program.calls_at <= now_) program.left = program.queued;
      if (program.left > 0) return &program;
    }
    return nullptr;
  }

  void sample(Nanos now, Program const* executed) {
    std::vector<TaskUse> uses;
    for (Program const& each : programs_)
      uses.push_back({.task = each.task,
                      .weight = each.weight,
                      .device_time = each.used + (&each == executed ? now - now_ : 0ns),
                      .calling = each.left > 0 || each.calls_at <= now});
    stopped_ = stopper_.stop(uses, now);
    sample_at_ = now + 1ms;
  }

  std::vector<Program> programs_;
  FairStopper stopper_;
  Stopped stopped_;
  Nanos now_{0};
  Nanos sample_at_{0};
  std::size_t last_ = 0;
};

} // namespace

TEST_CASE("programs of long and of short kernels use the device equally") {
  Guest guest({{.task = 1, .kernel = 1ms}, {.task = 2, .kernel = 100us}, {.task = 3, .kernel = 5ms}});
  guest.run(1s);
  CHECK(guest.ratio(0, 1) == Approx(1).margin(0.02));
  CHECK(guest.ratio(2, 1) == Approx(1).margin(0.02));
}

TEST_CASE("programs use the device by weight, whatever their kernels") {
  for (Nanos const kernel : {100us, 700us, 3000us}) {
    Guest guest({{.task = 1, .kernel = 300us, .weight = 3}, {.task = 2, .kernel = kernel}});
    guest.run(1s);
    CHECK(guest.ratio(0, 1) == Approx(3).epsilon(0.02));
  }
}

TEST_CASE("what a stopped task had queued is charged") {
  Guest guest({{.task = 1, .kernel = 1ms, .queued = 16}, {.task = 2, .kernel = 1ms}});
  guest.run(2s);
  CHECK(guest.ratio(0, 1) == Approx(1).margin(0.03));
}

TEST_CASE("a newcomer has its share from then on, and no more") {
  Guest guest({{.task = 1, .kernel = 1ms}, {.task = 2, .kernel = 500us}});
  guest.run(1s);
  guest.add({.task = 3, .kernel = 200us});
  Nanos const before = guest.used(0);
  guest.run(300ms);
  CHECK(guest.used(2) >= 95ms);
  CHECK(guest.used(2) <= 105ms);
  CHECK(guest.used(0) - before >= 95ms);
}

TEST_CASE("a task that was idle has saved up nothing") {
  Guest guest({{.task = 1, .kernel = 1ms}, {.task = 2, .kernel = 1ms, .gap = 200ms, .queued = 20}});
  guest.run(2s);
  // All but the queued calls of the other one, and what is waited for after them.
  CHECK(guest.used(0) + guest.used(1) > 1900ms);
  CHECK(guest.used(0) > 1700ms);
}

TEST_CASE("a program that computes between its calls keeps its share") {
  Guest guest({{.task = 1, .kernel = 800us, .gap = 80us}, {.task = 2, .kernel = 1ms}});
  guest.run(1s);
  CHECK(guest.ratio(0, 1) == Approx(1).margin(0.05));
}

TEST_CASE("a program that hardly needs the device does not keep it from others") {
  Guest guest({{.task = 1, .kernel = 240us, .gap = 24ms}, {.task = 2, .kernel = 1ms}});
  guest.run(1s);
  CHECK(guest.used(1) > 975ms);
}

TEST_CASE("a task is stopped when it is ahead by more than the lag, until it is not ahead any more") {
  FairStopper stopper(usual);
  auto const stop = [&](Nanos one, Nanos two, Nanos now) {
    return stopper.stop(std::vector<TaskUse>{{7, 1, one, true}, {3, 2, two, true}}, now);
  };
  CHECK(stop(5s, 0ms, 1ms) == Stopped{}); // what came before is not charged
  CHECK(stop(5s + 2ms, 0ms, 2ms) == Stopped{});
  CHECK(stop(5s + 3ms, 0ms, 3ms) == Stopped{7});
  CHECK(stop(5s + 3ms, 4ms, 4ms) == Stopped{7}); // 2 ms of weight
  CHECK(stop(5s + 3ms, 6ms, 5ms) == Stopped{});
  CHECK(stop(5s + 3ms, 8ms, 6ms) == Stopped{}); // 2 ms of device time ahead, by its weight
  CHECK(stop(5s + 3ms, 9ms, 7ms) == Stopped{3});
}

TEST_CASE("the stopped tasks are in ascending order; the least of all goes on") {
  FairStopper stopper(usual);
  std::vector<TaskUse> tasks{{9, 1, 0ms, true}, {4, 1, 0ms, true}, {6, 1, 0ms, true}};
  CHECK(stopper.stop(tasks, 0ms).empty());
  tasks[0].device_time = 5ms;
  tasks[1].device_time = 10ms;
  CHECK(stopper.stop(tasks, 10ms) == Stopped{4, 9});
}

TEST_CASE("a task is not stopped for one that is idle") {
  FairStopper stopper(usual);
  auto const stop = [&](Nanos one, Nanos two, Nanos now) {
    return stopper.stop(std::vector<TaskUse>{{1, 1, one, true}, {2, 1, two, false}}, now);
  };
  CHECK(stop(0ms, 0ms, 0ms) == Stopped{});
  CHECK(stop(50ms, 0ms, 50ms) == Stopped{});  // it never called
  CHECK(stop(54ms, 6ms, 60ms) == Stopped{});  // it started where the other one was
  CHECK(stop(59ms, 6ms, 65ms) == Stopped{1}); // its gap is waited for
  CHECK(stop(59ms, 6ms, 66ms) == Stopped{});  // ... for as long as it worked
  CHECK(stop(80ms, 6ms, 90ms) == Stopped{});
}

TEST_CASE("no gap is waited for longer than the setting says") {
  FairStopper stopper({.lag = 2ms, .idle_after = 3ms});
  auto const stop = [&](Nanos one, Nanos two, Nanos now) {
    return stopper.stop(std::vector<TaskUse>{{1, 1, one, true}, {2, 1, two, false}}, now);
  };
  CHECK(stop(0ms, 0ms, 0ms) == Stopped{});
  CHECK(stop(150ms, 100ms, 250ms) == Stopped{1});
  CHECK(stop(150ms, 100ms, 252ms) == Stopped{1});
  CHECK(stop(150ms, 100ms, 253ms) == Stopped{});
}

TEST_CASE("when all have been idle, all start anew") {
  FairStopper stopper(usual);
  auto const stop = [&](Nanos one, Nanos two, bool calling, Nanos now) {
    return stopper.stop(std::vector<TaskUse>{{1, 1, one, calling}, {2, 1, two, calling}}, now);
  };
  CHECK(stop(0ms, 0ms, true, 0ms) == Stopped{});
  CHECK(stop(40ms, 10ms, true, 50ms) == Stopped{1});
  CHECK(stop(40ms, 10ms, false, 70ms) == Stopped{}); // the other one is idle
  CHECK(stop(40ms, 10ms, false, 90ms) == Stopped{});
  CHECK(stop(41ms, 11ms, true, 92ms) == Stopped{});
  CHECK(stop(44ms, 11ms, true, 95ms) == Stopped{1});
}

TEST_CASE("a task that vanishes leaves neither a claim nor a debt") {
  FairStopper stopper(usual);
  TaskUse const ahead{1, 1, 40ms, true};
  CHECK(stopper.stop(std::vector<TaskUse>{{1, 1, 0ms, true}, {2, 1, 0ms, true}}, 0ms) == Stopped{});
  CHECK(stopper.stop(std::vector<TaskUse>{ahead, {2, 1, 0ms, true}}, 40ms) == Stopped{1});
  CHECK(stopper.stop(std::vector<TaskUse>{ahead}, 41ms) == Stopped{});
  CHECK(stopper.stop(std::vector<TaskUse>{ahead, {2, 1, 0ms, true}}, 42ms) == Stopped{}); // a newcomer
  CHECK(stopper.stop({}, 43ms) == Stopped{});
  CHECK(stopper.stop(std::vector<TaskUse>{ahead, {2, 1, 0ms, true}}, 44ms) == Stopped{});
}

TEST_CASE("a number whose total begins again is another task") {
  FairStopper stopper(usual);
  CHECK(stopper.stop(std::vector<TaskUse>{{1, 1, 0ms, true}, {2, 1, 0ms, true}}, 0ms) == Stopped{});
  CHECK(stopper.stop(std::vector<TaskUse>{{1, 1, 40ms, true}, {2, 1, 0ms, true}}, 40ms) == Stopped{1});
  CHECK(stopper.stop(std::vector<TaskUse>{{1, 1, 0ms, true}, {2, 1, 0ms, true}}, 41ms) == Stopped{});
  CHECK(stopper.stop(std::vector<TaskUse>{{1, 1, 3ms, true}, {2, 1, 0ms, true}}, 44ms) == Stopped{1});
}
