// SPDX-License-Identifier: Apache-2.0
// How a worker waits for the engine behind others: off the device, in the middle of a call. pegasusd need not wait for
// it when it closes its gate (gate/pages.h), and the worker looks at its gate before it goes on the device.
#pragma once

#include "domA/device/shared/engine.h"
#include "domA/gate/pages.h"

namespace pegasus::worker {

class EngineWait final : public shared::EngineGate {
public:
  EngineWait(gate::GatePage const& gate, gate::UsagePage& usage, int kick_fd)
      : gate_(gate), usage_(usage), kick_fd_(kick_fd) {}

  void off_device() override;
  [[nodiscard]] bool may_enter() override;
  void wait_until_open() override;

private:
  [[nodiscard]] bool is_open(std::uint32_t word) const;
  void kick_daemon() const;

  gate::GatePage const& gate_;
  gate::UsagePage& usage_;
  int kick_fd_;
  std::uint32_t word_ = 0; // the gate's, when it left the device
};

} // namespace pegasus::worker
