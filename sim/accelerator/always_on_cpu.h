// SPDX-License-Identifier: Apache-2.0
// A worker that always has a pCPU: what a scenario that says nothing of Dom0 has.
#pragma once

#include "sim/accelerator/worker_cpu.h"
#include "sim/clock.h"

#include <optional>
#include <utility>

namespace pegasus::sim {

class AlwaysOnCpu final : public WorkerCpu {
public:
  // `polls_for`: how long it polls for a call.
  AlwaysOnCpu(Clock& clock, Nanos polls_for)
      : clock_(clock), polls_for_(polls_for), timer_(clock, [this] { computed(); }) {}

  void begin(User& user) override { user_ = &user; }
  void end() override { timer_.cancel(); }

  void compute(Nanos span, Nanos nap) override { run(nap + span); }
  void poll() override { run(polls_for_); }
  void polled(bool /*found*/) override {}
  void await_device(bool program_waits) override {
    began_ = program_waits ? std::optional(clock_.now()) : std::nullopt;
  }
  void signal() override {
    timer_.cancel();
    computed();
  }

  [[nodiscard]] Nanos used() const override { return used_; }

private:
  void run(Nanos span) {
    began_ = clock_.now();
    timer_.after(span);
  }
  void computed() {
    if (began_) used_ += clock_.now() - *std::exchange(began_, std::nullopt);
    user_->computed();
  }

  Clock& clock_;
  Nanos polls_for_;
  User* user_ = nullptr;
  std::optional<Time> began_; // nullopt: it sleeps
  Nanos used_{0};
  Timer timer_;
};

} // namespace pegasus::sim
