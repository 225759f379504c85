// SPDX-License-Identifier: Apache-2.0
// A worker that always has a pCPU: what a scenario that says nothing of Dom0 has.
#pragma once

#include "sim/accelerator/worker_cpu.h"
#include "sim/clock.h"

namespace pegasus::sim {

class AlwaysOnCpu final : public WorkerCpu {
public:
  // `polls_for`: how long it polls for a call.
  AlwaysOnCpu(Clock& clock, Nanos polls_for)
      : polls_for_(polls_for), timer_(clock, [this] { user_->computed(); }) {}

  void begin(User& user) override { user_ = &user; }
  void end() override { timer_.cancel(); }

  void compute(Nanos span) override { timer_.after(span); }
  void poll() override { timer_.after(polls_for_); }
  void polled(bool /*found*/) override {}
  void await_device() override {}
  void signal() override {
    timer_.cancel();
    user_->computed();
  }

private:
  Nanos polls_for_;
  User* user_ = nullptr;
  Timer timer_;
};

} // namespace pegasus::sim
