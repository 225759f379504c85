// SPDX-License-Identifier: Apache-2.0
// Charges tasks that keep the device, where domains share it, and do not say that they execute: one that is first in
// the line for the engine, or one that says it has calls while the device is idle and others are kept out. An honest
// worker does so only for moments, until it has a CPU; one that its guest has taken over could keep the device from all
// others and report nothing.
//
// It is a sample: an interval between two looks that both met such a task, whichever, is charged as a whole to the one
// that the second met. A part of the time is free (an account that leaks), so that no honest worker pays because looks
// met it in such moments.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <span>
#include <vector>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::Time;

struct TaskRecord; // records.h

class UnclaimedHolds {
public:
  struct Account {
    Nanos level{0};
    Time at{};
    Time since{};
    std::uint64_t look = 0; // the last that met it

    void visit(policies::StateVisitor& state);
  };
  // `switch_cost`: what it takes the device to change its owner. Where that is more than nothing, nothing is charged: an
  // honest worker is silent meanwhile, and may be met there at each look.
  explicit UnclaimedHolds(Nanos switch_cost);

  struct Hold {
    TaskRecord* task;
    Nanos time; // to be charged; often none
    Time since; // of the first look of those that met this task without interruption
  };
  // `silent`: the tasks that keep the device and do not say that they execute. Several pay together.
  [[nodiscard]] std::vector<Hold> look(std::span<TaskRecord* const> silent, Time now);

  void visit(policies::StateVisitor& state); // what it keeps beside the records

private:
  Nanos free_at_once_;
  int free_part_; // one of so many parts of the time
  std::uint64_t looks_ = 1;
  Time looked_at_{};
  bool some_ = false; // were silent at the last look
};

} // namespace pegasus::scheduler
