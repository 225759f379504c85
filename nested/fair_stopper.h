// SPDX-License-Identifier: Apache-2.0
// Which of its tasks a guest stops, so that they share the guest's part of an accelerator by weight: nested
// scheduling, Fleig, "Fair GPU scheduling for nested virtualization", sections 3.4 and 5.4.3. The accounts
// are the host's, which the guest may read (6.1, the hybrid approach): the guest samples nothing.
//
// Rule: start-time fair queuing (Goyal, Vin and Cheng, SIGCOMM 1996) with device time that
// is known afterwards.
//   1. A task has a tag: the device time that it has used, divided by its weight. The virtual time is the
//      least tag of the active tasks.
//   2. A task is active while it has calls, uses the device or is stopped, and after that for as long as the
//      device time that it used before and has not yet spent on such gaps, up to `idle_after`.
//   3. A newcomer, and a task that was not active, starts at the virtual time if its tag is less: no task
//      saves up time. If no task is active, the virtual time becomes the greatest tag: all start anew.
//   4. A task is stopped when it is ahead of the virtual time by more than `lag` of device time, and
//      continues when it is not ahead any more. The task with the least tag always runs.
//
// Why a gap may last as long as what was used before: a program that computes between two calls must stay
// active, or the others would take what it is behind in each of its gaps. If each gap might last
// `idle_after`, the device would idle for that time after each call of a program that hardly needs it: beside
// HEARTWALL (5.3), which calls for 0.24 ms in 24 ms, a program that always calls would take 1.55 times as
// long instead of 1.01.
//
// Promise: of two tasks that are active, the one that is ahead has used at most `lag` more, by weight, and
// what it used between two calls of stop() and with the work that it had queued. That is charged, so shares
// hold over time.
//
// Limits. The tasks of one guest only: shares between guests are the host's. A stopped program does not
// compute either. One task is one program: if a program has several tasks, the caller adds them up. Work that
// a task used before the first call of stop() that names it is not charged. If a number is reused by a task
// that has already used more than the one before it, the two are one task.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::nested {

struct TaskUse {                        // one task of the guest, from its totals page
  std::uint32_t task;                   // its number
  double weight;                        // > 0
  std::chrono::nanoseconds device_time; // all that it has used so far; less than before: another task
  bool calling;                         // it has calls that wait or are executed, as far as is known
};

class FairStopper {
public:
  struct Settings {
    std::chrono::nanoseconds lag{2'000'000}; // two kernels of a millisecond: few signals, little unfairness
    std::chrono::nanoseconds idle_after{
        10'000'000}; // longer gaps cost more than an interrupted program gains
  };
  explicit FairStopper(Settings settings) : settings_(settings) {}

  // The tasks that must be stopped until the next call, ascending. Call it at least once in `lag`. `tasks`:
  // all of the guest, each once. `now`: any monotonic clock.
  [[nodiscard]] std::vector<std::uint32_t> stop(std::span<TaskUse const> tasks, std::chrono::nanoseconds now);

private:
  using Nanos = std::chrono::nanoseconds;
  struct Account {
    Nanos seen{0};  // its device time at the last call
    double tag = 0; // nanoseconds over weight
    double weight = 1;
    Nanos gaps_left{0}; // how long it stays active without calls
    bool active = false;
    bool stopped = false;
    std::uint64_t named_in = 0; // the last call that named it
  };

  void charge(TaskUse const& use, Nanos elapsed);
  void forget_unnamed();
  void move_virtual_time();
  [[nodiscard]] bool must_stop(Account const& account) const;

  Settings settings_;
  std::map<std::uint32_t, Account> accounts_;
  double virtual_time_ = 0;
  std::uint64_t calls_ = 0;
  std::optional<Nanos> called_at_; // the last time
};

} // namespace pegasus::nested
