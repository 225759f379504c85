// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_slices.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// With the records of its tasks.
class Slices {
public:
  explicit Slices(TaskSlices::Lengths const& lengths) { slices_.set(lengths); }
  void attach(TaskId id) {
    tasks_[id].id = id;
    slices_.attach(tasks_[id]);
  }
  void detach(TaskId id) {
    slices_.detach(tasks_.at(id));
    tasks_.erase(id);
  }
  void read(TaskId id, TaskSlices::Reading const& reading) { slices_.read(tasks_.at(id), reading); }
  std::optional<TaskId> pick() {
    TaskRecord const* const task = slices_.pick();
    return task == nullptr ? std::nullopt : std::optional(task->id);
  }
  bool in_step(TaskId id) { return slices_.in_step(tasks_.at(id)); }
  [[nodiscard]] std::optional<Nanos> pick_in() const { return slices_.pick_in(); }

private:
  TaskSlices slices_;
  std::map<TaskId, TaskRecord> tasks_;
};

// Tasks of one domain that has the device all the time, in virtual time. Kernels are not interrupted.
class Machine {
public:
  struct Program {
    Nanos kernel;
    Nanos think{0}; // between a kernel's end and the next launch; 0: the next one is already queued
  };
  explicit Machine(std::vector<Program> const& programs) {
    for (Program const& program : programs) {
      auto const id = static_cast<std::uint32_t>(tasks_.size() + 1);
      slices_.attach(id);
      tasks_[id] = {.program = program};
    }
  }

  void run(Nanos span) {
    for (Nanos const end = now_ + span; now_ < end;) {
      for (auto& [id, task] : tasks_)
        if (now_ >= task.ready_at) slices_.read(id, {.ready = true, .used = 0ns});
      TaskId const chosen = slices_.pick().value();
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
      slices_.read(chosen, {.ready = task.program.think == 0ns,
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
  Slices slices_{{.slice = 2500us, .min_granularity = 500us}};
  std::map<TaskId, Task> tasks_;
  Nanos now_{0};
};

} // namespace

TEST_CASE("task slices: no task to choose from, one, and one that left") {
  Slices slices({.slice = 2ms, .min_granularity = 500us});
  CHECK_FALSE(slices.pick());
  slices.attach(7);
  CHECK(slices.pick() == TaskId{7}); // even without calls
  slices.read(7, {.ready = true, .used = 0ns});
  CHECK(slices.pick() == TaskId{7});
  CHECK_FALSE(slices.pick_in());
  slices.attach(9);
  slices.read(9, {.ready = true, .used = 0ns});
  CHECK(slices.pick() == TaskId{7});
  CHECK(slices.pick_in() == 2ms);
  slices.read(7, {.ready = true, .used = 1500us, .gate_open = 1500us});
  CHECK(slices.pick_in() == 0us); // it is behind now
  slices.detach(7);
  CHECK(slices.pick() == TaskId{9});
  slices.detach(9);
  CHECK_FALSE(slices.pick());
}

TEST_CASE("task slices: a task that has calls again and is behind interrupts after the minimum granularity") {
  Slices slices({.slice = 2ms, .min_granularity = 500us});
  for (TaskId const task : {1U, 2U}) {
    slices.attach(task);
    slices.read(task, {.ready = true, .used = 0ns});
  }
  CHECK(slices.pick() == TaskId{1});
  slices.read(1, {.ready = false, .used = 300us, .gate_open = 300us}); // waits for something else
  CHECK(slices.pick() == TaskId{2});
  slices.read(2, {.ready = true, .used = 400us, .gate_open = 400us});
  slices.read(1, {.ready = true, .used = 0ns});
  CHECK(slices.pick() == TaskId{2});
  CHECK(slices.pick_in() == 100us);
  slices.read(2, {.ready = true, .used = 100us, .gate_open = 100us});
  CHECK(slices.pick() == TaskId{1});
}

TEST_CASE("task slices: a gate that is open without use counts half") {
  Slices slices({.slice = 2ms, .min_granularity = 500us});
  for (TaskId const task : {1U, 2U}) {
    slices.attach(task);
    slices.read(task, {.ready = true, .used = 0ns});
  }
  CHECK(slices.pick() == TaskId{1});
  slices.read(1, {.ready = true, .used = 0ns, .gate_open = 2ms});
  CHECK(slices.pick() == TaskId{2});
  slices.read(2, {.ready = true, .used = 2ms, .gate_open = 2ms});
  CHECK(slices.pick() == TaskId{1});
}

TEST_CASE("task slices: kernels of 20 us to 4 ms beside a program change nothing for it") { // Fleig, Fig. 5.5
  for (Nanos const kernel : {20us, 100us, 500us, 1000us, 2000us, 4000us}) {
    Machine machine({{.kernel = 200us}, {.kernel = kernel}});
    machine.run(4s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.share(1) == Approx(0.5).margin(0.0125)); // 5 % of its slowdown
  }
}

TEST_CASE("task slices: eight throttles get 8/9 together and no more") { // Fleig, Fig. 5.7
  std::vector<Machine::Program> programs(9, {.kernel = 4ms});
  programs.front().kernel = 100us;
  Machine machine(programs);
  machine.run(10s);
  CHECK(machine.share(1) == Approx(1.0 / 9).epsilon(0.05));
}

TEST_CASE("task slices: a program that computes between its calls is not pushed out") {
  Machine machine({{.kernel = 500us, .think = 300us}, {.kernel = 4ms}});
  machine.run(4s);
  CHECK(machine.share(1) > 0.11); // one of its kernels for each of the other's, which cannot be interrupted
  Machine finer({{.kernel = 500us, .think = 300us}, {.kernel = 100us}});
  finer.run(4s);
  CHECK(finer.share(1) > 0.4);
}

TEST_CASE(
    "task slices: beside each other, those run that are not far ahead, and a late one starts with the last") {
  Slices slices({.slice = 2ms, .min_granularity = 500us});
  for (TaskId const task : {1U, 2U}) {
    slices.attach(task);
    slices.read(task, {.ready = true, .used = 0ns});
  }
  slices.read(1, {.ready = true, .used = 108ms});
  slices.read(2, {.ready = true, .used = 100ms});
  CHECK((slices.in_step(1) && slices.in_step(2)));
  slices.read(1, {.ready = true, .used = 1ns});
  CHECK((!slices.in_step(1) && slices.in_step(2)));
  slices.attach(3);
  slices.read(3, {.ready = true, .used = 0ns}); // it has 94 ms
  CHECK((!slices.in_step(1) && slices.in_step(2) && slices.in_step(3)));
  slices.read(2, {.ready = false, .used = 0ns});
  slices.read(3, {.ready = false, .used = 0ns});
  CHECK(slices.in_step(1)); // none of the others has calls
}

TEST_CASE(
    "task slices: beside each other, one that computes between its calls stays behind") { // Fleig, Fig. 5.6
  Slices slices({.slice = 2ms, .min_granularity = 500us});
  for (TaskId const task : {1U, 2U}) {
    slices.attach(task);
    slices.read(task, {.ready = true, .used = 0ns});
  }
  slices.read(1, {.ready = false, .used = 1ms});
  slices.read(2, {.ready = true, .used = 10ms});
  CHECK(slices.in_step(2)); // the other has no calls
  slices.read(1, {.ready = true, .used = 0ns});
  slices.read(2, {.ready = true, .used = 1ns});
  CHECK((slices.in_step(1) && !slices.in_step(2)));
  slices.read(1, {.ready = true, .used = 1ms});
  CHECK((slices.in_step(1) && slices.in_step(2)));
  slices.read(1, {.ready = false, .used = 0ns}); // for long: nothing is saved up beyond that
  slices.read(2, {.ready = true, .used = 1s});
  CHECK(slices.in_step(2));
  slices.read(1, {.ready = true, .used = 8ms});
  CHECK(slices.in_step(2));
}
