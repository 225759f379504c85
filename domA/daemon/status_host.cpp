// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/status_host.h"

#include "control/only_shows.h"
#include "control/request_error.h"

namespace pegasus::daemon {

void StatusHost::answer(control::Request const& request, control::Reply& reply) {
  if (control::only_shows(request)) return host_.answer(request, reply);
  control::put({control::FORBIDDEN,
                "status.sock only shows: what changes something is asked at control.sock, which is for "
                "pegasusd's own user"},
               reply);
}

} // namespace pegasus::daemon
