// SPDX-License-Identifier: Apache-2.0
// Carries out pegasusd's orders (domA/gate/orders.h) on the task's objects. Called while the task has nothing on the
// device.
#pragma once

#include "domA/avcpu/call_handler.h"
#include "domA/gate/orders.h"

#include <cstddef>
#include <span>

namespace pegasus::worker {

// Call once, before the sandbox: pegasusd's signal interrupts a wait, and does nothing else.
void wake_for_orders();

class Orders {
public:
  // `report`: shared with pegasusd, for what an answer's page has no room for. Both must outlive it.
  Orders(avcpu::CallHandler const& handler, std::span<std::byte> report)
      : handler_(handler), report_(report) {}

  [[nodiscard]] gate::Answer obey(gate::Order const& order);

private:
  [[nodiscard]] gate::Answer describe();
  [[nodiscard]] gate::Answer move(device::Status (device::Context::*how)());

  avcpu::CallHandler const& handler_;
  std::span<std::byte> report_;
};

} // namespace pegasus::worker
