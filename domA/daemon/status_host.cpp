// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/status_host.h"

#include "control/only_shows.h"
#include "control/request_error.h"

namespace pegasus::daemon {

void StatusHost::answer(control::Request const& request, Respond respond) {
  if (control::only_shows(request)) return host_.answer(request, std::move(respond));
  control::Reply reply;
  control::put({control::FORBIDDEN,
                "status.sock only shows: what changes something is asked at control.sock, which is for "
                "pegasusd's own user"},
               reply);
  respond(reply);
}

} // namespace pegasus::daemon
