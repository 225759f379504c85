// SPDX-License-Identifier: Apache-2.0
// A worker as a thread of Dom0's Linux. It polls for a call by the clock, for as long as the real
// one does (frontend/protocol/hybrid_spin.h).
#pragma once

#include "frontend/protocol/hybrid_spin.h"
#include "sim/dom0/dom0.h"

namespace pegasus::sim {

class WorkerThread final : public WorkerCpu, private Thread {
public:
  WorkerThread(Clock& clock, Dom0& dom0, GuestVcpu& first, bool device_poll);

  void begin(User& user) override { user_ = &user; }
  void end() override;

  void compute(Nanos span, Nanos nap) override;
  void poll() override;
  void polled(bool found) override;
  void await_device(bool program_waits) override;
  void signal() override;
  [[nodiscard]] Nanos used() const override { return cpu_time(); }

private:
  void computed() override;
  void run(Nanos span);

  Clock& clock_;
  Dom0& dom0_;
  bool device_poll_;
  User* user_ = nullptr;
  pegasus_spin spin_{};
  bool awake_ = false; // it is one of its vCPU's threads
  Time poll_began_{};
  Timer poll_ends_;
  Nanos after_nap_{0}; // of CPU time
  Timer nap_ends_;
};

} // namespace pegasus::sim
