// SPDX-License-Identifier: Apache-2.0
// What status.sock serves: the requests of control/control.proto that only show something.
#pragma once

#include "domA/daemon/control_server.h"

namespace pegasus::daemon {

class StatusHost final : public ControlHost {
public:
  explicit StatusHost(ControlHost& host) : host_(host) {}
  // Refuses requests that change something, with a message.
  void answer(control::Request const& request, Respond respond) override;

private:
  ControlHost& host_;
};

} // namespace pegasus::daemon
