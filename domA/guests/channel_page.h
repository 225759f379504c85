// SPDX-License-Identifier: Apache-2.0
// The first page of a call buffer, from pegasusd's side.
#pragma once

#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"

namespace pegasus::guests {

// Call when the worker is gone: tells the guest that no more replies will come, and wakes it if it is a
// process of this machine.
void close_channel(pegasus_channel_header& header, pegasus_close_reason reason);

} // namespace pegasus::guests
