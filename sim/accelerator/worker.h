// SPDX-License-Identifier: Apache-2.0
// A task's worker in Dom0, in virtual time: takes the requests of one call buffer, obeys its gate and reports
// its use, all through the pages that the real one has (domA/gate/pages.h).
#pragma once

#include "domA/gate/gate.h"
#include "sim/accelerator/copy_engines.h"
#include "sim/accelerator/idle_watch.h"
#include "sim/accelerator/worker_cpu.h"
#include "sim/costs.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace pegasus::sim {

using gate::TaskId;

// What a guest asks its worker for: a kernel, or a copy between host and device. To the device it is posted,
// from it the program waits.
struct Work {
  enum class Kind { kernel, to_device, from_device };
  Kind kind = Kind::kernel;
  Nanos span{0};      // of the device's time
  bool waits = false; // the program, for the answer
};

class Worker final : private Engine::Context, private WorkerCpu::User {
public:
  // The guest's side of the call buffer.
  class Client {
  public:
    virtual void completed() = 0; // one more request
    virtual void paused() = 0;    // the gate is closed: polling is of no use

  protected:
    ~Client() = default;
  };
  // Dom0's side.
  class Scheduler {
  public:
    virtual void kicked(TaskId task) = 0;
    virtual void executed(TaskId task, Nanos part) = 0; // a kernel or a part of it, until now
    virtual void copied(TaskId task, std::size_t copy_engine, Nanos span) = 0; // ... until now
    virtual Nanos take_memory(TaskId task) = 0; // its kernel is next: how long its memory takes to come
    virtual void polls(TaskId task) = 0;        // its worker begins to, and is to look at its gate

  protected:
    ~Scheduler() = default;
  };
  struct Setup {
    Clock& clock;
    Engine& engine;
    CopyEngines& copy_engines;
    IdleWatch& idle_watch;
    WorkerCpu& cpu;
    Costs const& costs;
    Scheduler& scheduler;
    Client& client;
    TaskId task;
    std::uint64_t memory; // bytes that it holds; a task without memory has no context yet, for the policies
  };
  explicit Worker(Setup const& setup);
  ~Worker();
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;

  // From the guest. `vcpu`: the caller's.
  void post(Work const& work, std::uint32_t vcpu);
  [[nodiscard]] std::uint64_t posted() const { return posted_; }
  [[nodiscard]] std::uint64_t completed() const { return completed_; }
  [[nodiscard]] bool is_open() const;

  // From pegasusd.
  void gate_opened();
  [[nodiscard]] bool polls() const { return state_ == State::polls; } // for a request
  void look_at_gate();                                                // polls: it sees a change at once
  void end(); // its process is dead: what ran until now counts
  [[nodiscard]] gate::GatePage& gate() const { return pages_->gate; }
  [[nodiscard]] gate::UsagePage& usage() { return pages_->usage; }

  [[nodiscard]] Nanos executed() const;                      // device time of this task, so far
  [[nodiscard]] std::optional<Time> executing_since() const; // nullopt: the engine does not execute it

private:
  struct Pages {
    gate::GatePage gate{};
    gate::UsagePage usage{};
  };
  enum class State {
    sleeps,
    looks,  // at its gate and for requests
    serves, // a request
    awaits, // the end of its kernel or copy
    polls,  // for a request
  };

  Nanos take_memory() override;
  void began() override;
  void executed(Nanos part, bool finished) override;
  void computed() override;
  void wake();
  void step();
  void answer();
  [[nodiscard]] Nanos longest_piece() const;
  void submit();
  void fall_asleep();
  void claim(Nanos part);
  Nanos leave_engines();
  // Of the first request; nullopt: the engine that executes kernels.
  [[nodiscard]] std::optional<std::size_t> copy_engine() const;
  [[nodiscard]] Engine& engine_of_request();
  void set(gate::Activity activity);
  void watch(bool on_device);

  Setup setup_;
  std::unique_ptr<Pages> pages_ = std::make_unique<Pages>();
  std::deque<Work> requests_; // the first may be executing
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  Nanos executed_{0};
  Time began_at_{};
  Nanos cpu_before_{0}; // its CPU time when it gave the request to the device
  State state_ = State::sleeps;
  Nanos unclaimed_{0};     // the last part of a kernel whose end it has not noticed yet
  Nanos rest_{0};          // of the first request, after the piece that the engine has
  bool divided_ = false;   // ... has been given to the engine in part
  bool taken_ = false;     // the first request: the engine has it, or will have it after `serve`
  bool on_engine_ = false; // ... and executes it; not of a copy engine
  IdleWatch::Task watched_;
  Timer doorbell_; // a signal on its way to a sleeping worker
};

} // namespace pegasus::sim
