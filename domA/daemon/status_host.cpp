// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/status_host.h"

#include "ctl/control.pb.h"

namespace pegasus::daemon {

// A request that is not named here is refused, also one that is added later.
bool only_shows(control::Request const& request) {
  using control::Request;
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

void StatusHost::answer(control::Request const& request, control::Reply& reply) {
  if (only_shows(request)) return host_.answer(request, reply);
  reply.set_error("status.sock only shows: what changes something is asked at control.sock, which is for "
                  "pegasusd's own user");
}

} // namespace pegasus::daemon
