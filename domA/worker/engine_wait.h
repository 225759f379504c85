// SPDX-License-Identifier: Apache-2.0
// How a worker waits for the engine behind others: off the device, in the middle of a call. pegasusd need not wait for
// it when it closes its gate (gate/pages.h), and the worker looks at its gate before it goes on the device.
#pragma once

#include "domA/device/shared/engine.h"
#include "domA/gate/orders.h"
#include "domA/gate/pages.h"

#include <functional>
#include <utility>

namespace pegasus::worker {

class EngineWait final : public shared::EngineGate {
public:
  using Obey = std::function<gate::Answer(gate::Order const&)>;
  EngineWait(gate::GatePage const& gate, gate::UsagePage& usage, int kick_fd)
      : gate_(gate), usage_(usage), kick_fd_(kick_fd) {}

  // Orders are obeyed in the middle of a call, too: what the task holds is whole, and nothing of it is on the device.
  void obey_with(Obey obey) { obey_ = std::move(obey); } // before the first call

  void off_device() override;
  [[nodiscard]] bool may_wait() override;
  [[nodiscard]] bool may_enter() override;
  void wait_until_open() override;

private:
  [[nodiscard]] bool stays_open(std::uint32_t word) const; // since off_device()
  [[nodiscard]] bool is_open(std::uint32_t word) const;
  void kick_daemon() const;

  gate::GatePage const& gate_;
  gate::UsagePage& usage_;
  int kick_fd_;
  Obey obey_;
  std::uint32_t word_ = 0; // the gate's, when it left the device
};

} // namespace pegasus::worker
