// SPDX-License-Identifier: Apache-2.0
// Carries out a choice of tasks: who may submit now. Closes the gates of those who must stop, waits until
// each of them is between calls, then opens the next ones: a turn starts on a drained device. Pure but for
// the pages it is given.
#pragma once

#include "domA/gate/pages.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace pegasus::gate {

using TaskId = std::uint32_t;

class Gate {
public:
  // Is told what happens to the gates, in its order.
  class Listener {
  public:
    virtual void opened(TaskId task, std::atomic<std::uint32_t>& word) = 0; // a worker may be asleep on it
    virtual void closed(TaskId task) = 0;                                   // its last call may go on
    virtual void drained(TaskId task) = 0;                                  // ... and is over

  protected:
    ~Listener() = default;
  };
  explicit Gate(Listener& listener) : listener_(listener) {}

  void attach(TaskId task, GatePage& gate, UsagePage const& usage); // its gate is closed
  void detach(TaskId task);

  // Starts the change to `run`, of whom `rouse` are to be woken (both ordered). True when it is already
  // carried out.
  bool apply(std::span<const TaskId> run, std::span<const TaskId> rouse = {});
  // When the turns of those who are chosen end, as in GatePage; to be called before apply().
  void ends_at(std::uint64_t ns);
  // Until when open gates are leased, also those that open later, as in GatePage.
  void lease_until(std::uint64_t ns);
  // Of a task whose worker found its lease run out: opens the gate anew, and says on which word the worker
  // sleeps. Null: it is no such task.
  [[nodiscard]] std::atomic<std::uint32_t>* reopen(TaskId task);
  // To be called when a worker rang: true when the change is carried out.
  bool settle();

  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] bool open(TaskId task) const;
  // Who was chosen, ordered; their gates are open when it is settled.
  [[nodiscard]] std::vector<TaskId> const& chosen() const { return run_; }
  [[nodiscard]] std::vector<TaskId> const& opened() const { return open_; } // ordered
  // Tasks that were told to stop and have not yet, ordered: what to look at when a change takes too long.
  [[nodiscard]] std::vector<TaskId> const& draining() const { return draining_; }

private:
  struct Seat {
    GatePage* gate;
    UsagePage const* usage;
    bool open;
  };
  static bool drained(Seat const& seat);
  void let_in(TaskId task, Seat& seat);
  void say_who_is_alone();
  void stop(TaskId task, Seat& seat);
  static void set(Seat& seat, std::uint32_t state);

  Listener& listener_;
  std::map<TaskId, Seat> seats_;
  std::vector<TaskId> run_;
  std::vector<TaskId> rouse_;
  std::vector<TaskId> open_;
  std::vector<TaskId> draining_;
  std::uint64_t ends_at_ns_ = 0;
  std::uint64_t lease_until_ns_ = 0;
  bool settled_ = true;
};

} // namespace pegasus::gate
