// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_slices.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// Tasks of one domain that has the device all the time, in virtual time. Kernels are not interrupted.
class Machine {
public:
  struct Program {
    Nanos kernel;
    Nanos think{0}; // between a kernel's end and the next launch; 0: the next one is already queued
  };
  explicit Machine(std::vector<Program> const& programs) {
    for (Program const& program : programs) {
      auto const id = static_cast<TaskId>(tasks_.size() + 1);
      turns_.attach(id);
      tasks_[id] = {.program = program};
    }
  }

  void run(Nanos span) {
    for (Nanos const end = now_ + span; now_ < end;) {
      for (auto& [id, task] : tasks_)
        if (now_ >= task.ready_at) turns_.read(id, {.ready = true, .used = 0ns});
      TaskId const chosen = turns_.pick().value();
      Task& task = tasks_[chosen];
      if (now_ < task.ready_at) { // no task has calls
        now_ = task.ready_at;
        for (auto const& [id, each] : tasks_)
          now_ = std::min(now_, each.ready_at);
        continue;
      }
      now_ += task.program.kernel;
      task.received += task.program.kernel;
      task.ready_at = now_ + task.program.think;
      turns_.read(chosen, {.ready = task.program.think == 0ns,
                           .used = task.program.kernel,
                           .gate_open = task.program.kernel});
    }
  }
  [[nodiscard]] double share(TaskId id) {
    Nanos all{0};
    for (auto const& [other, task] : tasks_)
      all += task.received;
    return static_cast<double>(tasks_[id].received.count()) / static_cast<double>(all.count());
  }

private:
  struct Task {
    Program program{};
    Nanos ready_at{0};
    Nanos received{0};
  };
  TaskSlices turns_{{.slice = 2500us, .grain = 500us}};
  std::map<TaskId, Task> tasks_;
  Nanos now_{0};
};

} // namespace

TEST_CASE("task turns: nobody to choose from, one, and one that left") {
  TaskSlices turns({.slice = 2ms, .grain = 500us});
  CHECK_FALSE(turns.pick());
  turns.attach(7);
  CHECK(turns.pick() == TaskId{7}); // even without calls
  turns.read(7, {.ready = true, .used = 0ns});
  CHECK(turns.pick() == TaskId{7});
  CHECK_FALSE(turns.pick_in());
  turns.attach(9);
  turns.read(9, {.ready = true, .used = 0ns});
  CHECK(turns.pick() == TaskId{7});
  CHECK(turns.pick_in() == 2ms);
  turns.read(7, {.ready = true, .used = 1500us, .gate_open = 1500us});
  CHECK(turns.pick_in() == 0us); // it is behind now
  turns.detach(7);
  CHECK(turns.pick() == TaskId{9});
  turns.detach(9);
  CHECK_FALSE(turns.pick());
}

TEST_CASE("task turns: who has calls again and is behind interrupts after a grain") {
  TaskSlices turns({.slice = 2ms, .grain = 500us});
  for (TaskId const task : {1U, 2U}) {
    turns.attach(task);
    turns.read(task, {.ready = true, .used = 0ns});
  }
  CHECK(turns.pick() == TaskId{1});
  turns.read(1, {.ready = false, .used = 300us, .gate_open = 300us}); // waits for something else
  CHECK(turns.pick() == TaskId{2});
  turns.read(2, {.ready = true, .used = 400us, .gate_open = 400us});
  turns.read(1, {.ready = true, .used = 0ns});
  CHECK(turns.pick() == TaskId{2});
  CHECK(turns.pick_in() == 100us);
  turns.read(2, {.ready = true, .used = 100us, .gate_open = 100us});
  CHECK(turns.pick() == TaskId{1});
}

TEST_CASE("task turns: a gate that is open without use counts half") {
  TaskSlices turns({.slice = 2ms, .grain = 500us});
  for (TaskId const task : {1U, 2U}) {
    turns.attach(task);
    turns.read(task, {.ready = true, .used = 0ns});
  }
  CHECK(turns.pick() == TaskId{1});
  turns.read(1, {.ready = true, .used = 0ns, .gate_open = 2ms});
  CHECK(turns.pick() == TaskId{2});
  turns.read(2, {.ready = true, .used = 2ms, .gate_open = 2ms});
  CHECK(turns.pick() == TaskId{1});
}

TEST_CASE("task turns: kernels of 20 us to 4 ms beside a program change nothing for it") { // Fleig, Fig. 5.5
  for (Nanos const kernel : {20us, 100us, 500us, 1000us, 2000us, 4000us}) {
    Machine machine({{.kernel = 200us}, {.kernel = kernel}});
    machine.run(4s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.share(1) == Approx(0.5).margin(0.0125)); // 5 % of its slowdown
  }
}

TEST_CASE("task turns: eight throttles get 8/9 together and no more") { // Fleig, Fig. 5.7
  std::vector<Machine::Program> programs(9, {.kernel = 4ms});
  programs.front().kernel = 100us;
  Machine machine(programs);
  machine.run(10s);
  CHECK(machine.share(1) == Approx(1.0 / 9).epsilon(0.05));
}

TEST_CASE("task turns: a program that computes between its calls is not pushed out") {
  Machine machine({{.kernel = 500us, .think = 300us}, {.kernel = 4ms}});
  machine.run(4s);
  CHECK(machine.share(1) > 0.11); // one of its kernels for each of the other's, which cannot be interrupted
  Machine finer({{.kernel = 500us, .think = 300us}, {.kernel = 100us}});
  finer.run(4s);
  CHECK(finer.share(1) > 0.4);
}
