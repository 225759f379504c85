// SPDX-License-Identifier: Apache-2.0
// An accelerator's profile on the wire (frontend/protocol/handshake.h): from the process that probes to
// pegasusd, and from there to guests.
#pragma once

#include "domA/device/device.h"
#include "frontend/protocol/handshake.h"

namespace pegasus::worker {

// A name that is too long for the wire is cut.
[[nodiscard]] pegasus_device_profile to_wire(device::Profile const& profile);
// For a guest that has no host window.
void share_no_host_memory(pegasus_device_profile& wire);
[[nodiscard]] device::Profile from_wire(pegasus_device_profile const& wire);

} // namespace pegasus::worker
