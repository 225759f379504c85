// SPDX-License-Identifier: Apache-2.0
// Carries out a choice of tasks: which tasks may submit now. Closes the gates of the tasks that must stop,
// waits until each of them is between calls, then opens the next gates: a time slice starts on a drained
// device. Pure except for the pages that it is given.
#pragma once

#include "domA/gate/orders.h"
#include "domA/gate/pages.h"
#include "policies/ids.h"
#include "policies/state_visitor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::gate {

using policies::TaskId;

class Gate {
public:
  // Is told what happens to the gates, in that order.
  class Listener {
  public:
    virtual void entering(TaskId task) = 0; // all others have stopped, and its gate opens now
    virtual void opened(TaskId task, std::atomic<std::uint32_t>& word) = 0; // a worker may be asleep on it
    virtual void closed(TaskId task) = 0;                                   // its last call may still run
    virtual void drained(TaskId task) = 0;                                  // ... and has ended

  protected:
    ~Listener() = default;
  };
  explicit Gate(Listener& listener) : listener_(listener) {}

  // Its gate is closed. Posts the first order: see orders.h.
  void attach(TaskId task, GatePage& gate, UsagePage const& usage);
  void rang(TaskId task); // its worker: it may have started
  void detach(TaskId task);

  // Starts the change to `run`; the guests of the tasks in `wake` are woken. The tasks in `beside` may still be stopping
  // when others' gates open: where domains share the device, nobody waits for them. All three are ordered. Returns true
  // if the change is complete.
  bool apply(std::span<TaskId const> run, std::span<TaskId const> wake = {},
             std::span<TaskId const> beside = {});
  // When the time slices of the chosen tasks end, as in GatePage. Call before apply().
  void ends_at(std::uint64_t ns);
  // How long their pieces of work may be, as in GatePage. Call after apply(): who is told to stop may be about to
  // submit one more, and keeps its limit.
  struct Pieces {
    std::uint64_t from_ns = 0;
    std::uint64_t longest_ns = 0;
    bool operator==(Pieces const&) const = default;
    void visit(policies::StateVisitor& state);
  };
  void limit(Pieces const& pieces);
  // Until when open gates are leased, including gates that open later, as in GatePage.
  void lease_until(std::uint64_t ns);
  // How calls are made under a policy, as in GatePage, also those of tasks that come later.
  struct Manner {
    bool guests_poll = false;
    bool engaged = false;
  };
  void set(Manner const& manner);
  // If the task's worker found its lease expired, opens the gate again and returns the word on which the
  // worker sleeps. Returns nullptr for any other task.
  [[nodiscard]] std::atomic<std::uint32_t>* reopen(TaskId task);
  // The task's worker has started and has stopped, and its gate does not open before the next choice.
  [[nodiscard]] bool may_post(TaskId task) const;
  // Passes an order to the task's worker and returns the word on which that may be asleep. If may_post() only.
  [[nodiscard]] std::atomic<std::uint32_t>& post(TaskId task, Order const& order);
  // To the task's last order.
  [[nodiscard]] std::optional<Answer> answer(TaskId task) const;
  // Call when a worker rang. Returns true if the change is complete.
  bool drain();

  // A task of a saved state: takes its pages as they are.
  void restore(TaskId task, GatePage& gate, UsagePage const& usage) {
    slots_.emplace(task, Slot{&gate, &usage});
  }
  // What is kept, but for the manner. When restoring, after restore() of all tasks.
  void visit(policies::StateVisitor& state);
  // The word of the task's gate, on which its worker may be asleep.
  [[nodiscard]] std::atomic<std::uint32_t>& word(TaskId task) const { return slots_.at(task).gate->word; }

  [[nodiscard]] bool drained() const { return drained_; }
  [[nodiscard]] bool open(TaskId task) const;
  // The chosen tasks, ordered; their gates are open when the change is drained.
  [[nodiscard]] std::vector<TaskId> const& chosen() const { return run_; }
  [[nodiscard]] std::vector<TaskId> const& opened() const { return open_; } // ordered
  // Tasks that were told to stop and have not stopped yet, ordered: look here when a change takes too long.
  [[nodiscard]] std::vector<TaskId> const& draining() const { return draining_; }

private:
  struct Slot {
    GatePage* gate = nullptr;
    UsagePage const* usage = nullptr;
    bool open = false;
    bool started = false; // its worker
  };
  static bool drained(Slot const& slot);
  void let_in(TaskId task, Slot& slot);
  void stop(TaskId task, Slot& slot);
  void tell(GatePage& gate) const;
  static void set(Slot& slot, std::uint32_t state);
  static void store(Pieces const& pieces, GatePage& gate);

  Listener& listener_;
  std::map<TaskId, Slot> slots_;
  std::vector<TaskId> run_;
  std::vector<TaskId> wake_;
  std::vector<TaskId> beside_;
  std::vector<TaskId> open_;
  std::vector<TaskId> draining_;
  std::uint64_t ends_at_ns_ = 0;
  Pieces pieces_;
  std::uint64_t lease_until_ns_ = 0;
  Manner manner_;
  bool drained_ = true;
};

} // namespace pegasus::gate
