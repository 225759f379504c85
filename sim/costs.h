// SPDX-License-Identifier: Apache-2.0
// What the parts of Pegasus cost, as the model counts it. The call path's figures are those of
// bench/call_path (bench/README.md), the signals' those of a futex and an event channel on an idle core of
// the same machine.
#pragma once

#include "policies/view.h"

namespace pegasus::sim {

struct Costs {
  policies::Nanos post{82};           // in the guest: a request put into the call buffer
  policies::Nanos serve{300};         // in the worker: from one request to the next
  policies::Nanos drain{20'000};      // ... engaged: its nap until it sees that the device is done
  policies::Nanos event{5'000};       // from an event channel's signal until the other side acts
  policies::Nanos futex{5'000};       // the same, between pegasusd and a worker
  policies::Nanos wakeup{3'000};      // in the guest: a thread returns from its sleep
  policies::Nanos spin{50'000};       // hybrid spin: how long either side polls before it sleeps
  policies::Nanos kick_pause{50'000}; // pegasusd: from one kick to the next
  policies::Nanos killing{3'000'000}; // until a task that was given up is dead
  unsigned ring = 128;                // requests that a call buffer holds
};

} // namespace pegasus::sim
