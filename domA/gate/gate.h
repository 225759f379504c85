// SPDX-License-Identifier: Apache-2.0
// Carries out a Decision: who may submit now. Closes the gates of those who must stop, waits until each of
// them is between calls, then opens the next ones: a turn starts on a drained device. Pure but for the pages
// it is given.
#pragma once

#include "domA/gate/pages.h"
#include "policies/decision.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pegasus::gate {

using policies::DomainId;
using TaskId = std::uint32_t;

class Gate {
public:
  // `wake` is called with a gate word that a worker may be asleep on, after it was opened.
  explicit Gate(std::function<void(std::atomic<std::uint32_t>&)> wake) : wake_(std::move(wake)) {}

  // A new task's gate is closed unless its domain is running.
  void attach(TaskId task, DomainId domain, GatePage& gate, UsagePage const& usage);
  void detach(TaskId task);

  // Starts the change to `run`, of whom `rouse` are to be woken (both ordered by id). True when it is already
  // carried out.
  bool apply(std::span<const DomainId> run, std::span<const DomainId> rouse = {});
  // To be called when a worker rang: true when the change is carried out.
  bool settle();

  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] bool open(TaskId task) const;
  // Tasks that were told to stop and have not yet: what to look at when a change takes too long.
  [[nodiscard]] std::vector<TaskId> draining() const;

private:
  struct Seat {
    TaskId task;
    DomainId domain;
    GatePage* gate;
    UsagePage const* usage;
    bool open;
  };
  [[nodiscard]] bool chosen(Seat const& seat) const;
  static bool drained(Seat const& seat);
  void set(Seat& seat, bool open);

  std::function<void(std::atomic<std::uint32_t>&)> wake_;
  std::vector<Seat> seats_;
  std::vector<DomainId> run_;
  std::vector<DomainId> rouse_;
  bool settled_ = true;
};

} // namespace pegasus::gate
