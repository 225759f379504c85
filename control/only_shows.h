// SPDX-License-Identifier: Apache-2.0
// The requests that change nothing: for status.sock, and for tools that may use it in place of control.sock.
#pragma once

#include "control/control.pb.h"

namespace pegasus::control {

// All other requests change something, including requests that are added later.
[[nodiscard]] inline bool only_shows(Request const& request) {
  switch (request.what_case()) {
  case Request::kVersion:
  case Request::kPolicies:
  case Request::kDomains:
  case Request::kAccelerators:
  case Request::kLog:
    return true;
  case Request::kPolicy:
    return request.policy().name().empty() && request.policy().setting_size() == 0;
  default:
    return false;
  }
}

} // namespace pegasus::control
