// SPDX-License-Identifier: Apache-2.0
// The execution engine of a modelled accelerator: the contexts' kernels, in the order in which they came, one
// at a time. It runs each to its end, or, if it can preempt, for a slice while others wait. It may cost time
// to change the context, and more the more contexts contend for the device: what Pegasus spares over None on
// hardware (P 6.3).
#pragma once

#include "sim/accelerator/memory.h"
#include "sim/clock.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace pegasus::sim {

class Engine {
public:
  struct Options {
    Nanos switch_cost{0}; // before a kernel of another context than the last one's
    Nanos contention{0};  // ... and for each further context that waits then
    Nanos preempt{0};     // the slice of a context; 0: cannot preempt
    // Of the accelerator, beside this engine (copy_engines.h); 0: it copies itself, as if
    // copies were kernels.
    unsigned copy_engines = 0;
    // Of the accelerator: what the policies are told that a change costs; nullopt: switch_cost.
    std::optional<Nanos> told_switch_cost{};
    // Of the accelerator's workers: they divide kernels into pieces of this length (FairGV 3.3.2), shorter ones while
    // another domain is expected; 0: never. Each piece takes `piece_cost` more.
    Nanos piece{0};
    Nanos piece_cost{0};
    // Of the accelerator: what its domains hold, and which of it is resident.
    Memory::Options memory{};
  };
  // One context's kernel.
  class Context {
  public:
    // It is the next to execute, after another one: how long it takes until its memory is there.
    virtual Nanos take_memory() { return Nanos{0}; }
    virtual void began() = 0;                             // it executes from now on
    virtual void executed(Nanos part, bool finished) = 0; // it executed for `part` since began()

  protected:
    ~Context() = default;
  };
  Engine(Clock& clock, Options const& options)
      : clock_(clock), options_(options), timer_(clock, [this] { advance(); }) {}

  void execute(Context& context, Nanos length); // the previous one of this context has finished
  Nanos remove(Context const& context); // its process is dead; returns how long its kernel ran since began()

  [[nodiscard]] Options const& options() const { return options_; }
  [[nodiscard]] Nanos busy() const;      // executing kernels, so far
  [[nodiscard]] Nanos switching() const; // changing contexts, so far
  [[nodiscard]] std::uint64_t switches() const { return switches_; }

private:
  struct Kernel {
    Context* context;
    Nanos left;
  };

  void start();
  void advance();
  [[nodiscard]] Nanos passed() const { return clock_.now() - began_at_; }

  Clock& clock_;
  Options options_;
  std::deque<Kernel> queue_; // the first has the engine
  bool executing_ = false;   // the first one; else the engine changes to it, or is idle
  Time began_at_{};          // to execute, or to change
  Context const* last_ = nullptr;
  Nanos busy_{0};
  Nanos switching_{0};
  std::uint64_t switches_ = 0;
  Timer timer_;
};

} // namespace pegasus::sim
