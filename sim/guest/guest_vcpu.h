// SPDX-License-Identifier: Apache-2.0
// A guest's vCPU and the threads that its operating system runs there, in turn. A thread asks for CPU time
// and is told when it has had it; without a thread that wants to run the vCPU blocks.
#pragma once

#include "sim/clock.h"
#include "sim/cpu/cpu_scheduler.h"

#include <deque>

namespace pegasus::sim {

class GuestVcpu;

class Thread {
public:
  explicit Thread(GuestVcpu& vcpu) : vcpu_(&vcpu) {}
  Thread(Thread const&) = delete;
  Thread& operator=(Thread const&) = delete;

  // Runs for `span` of CPU time, then calls computed(). One request at a time.
  void compute(Nanos span);
  // Ends the request now: computed() is called as soon as the thread runs.
  void finish_early();
  // SIGSTOP and SIGCONT: until it goes on, a stopped thread has no CPU time for what it asks.
  void stop();
  void go_on();
  [[nodiscard]] bool computes() const { return computes_; } // has not had what it asked for
  [[nodiscard]] Nanos cpu_time() const { return had_; }     // so far, up to the last computed() or stop
  [[nodiscard]] GuestVcpu& vcpu() { return *vcpu_; }

protected:
  ~Thread() = default;
  virtual void computed() = 0; // may ask again at once; otherwise the thread sleeps
  // Where it runs from now on. It sleeps.
  void move_to(GuestVcpu& vcpu) { vcpu_ = &vcpu; }

private:
  friend class GuestVcpu;

  GuestVcpu* vcpu_;
  Nanos left_{0};
  Nanos had_{0};
  bool computes_ = false;
  bool stopped_ = false;
};

class GuestVcpu final : public Vcpu {
public:
  struct Options {
    Nanos slice{std::chrono::milliseconds(4)}; // of a thread while others of the vCPU wait
    Nanos entry{std::chrono::microseconds(2)}; // what the vCPU loses each time it comes onto a pCPU
  };
  GuestVcpu(Clock& clock, CpuScheduler& scheduler, VcpuSettings const& settings, Options const& options);

  void on_cpu() override;
  void off_cpu() override;

  [[nodiscard]] CpuScheduler::VcpuId id() const { return id_; }
  [[nodiscard]] bool runs(Thread const& thread) const { return running_ && current_ == &thread; }
  [[nodiscard]] std::size_t threads() const { return queue_.size() + (current_ == nullptr ? 0 : 1); }

private:
  friend class Thread;

  void ready(Thread& thread);
  void changed(Thread& thread);
  void remove(Thread& thread);
  void turn_over(Thread& thread);
  void slice_over();
  void go_on();
  void pause();

  Clock& clock_;
  CpuScheduler& scheduler_;
  Options options_;
  CpuScheduler::VcpuId id_;
  std::deque<Thread*> queue_; // wait for the current thread
  Thread* current_ = nullptr;
  bool running_ = false;
  bool in_callback_ = false;
  Time since_{};       // the current thread computes since then; in the future while the vCPU enters
  Nanos turn_left_{0}; // of the current thread, if others wait
  Timer timer_;
};

} // namespace pegasus::sim
