// SPDX-License-Identifier: Apache-2.0
// Runs one warp until it stops, and chooses which of its splits runs next.
#pragma once

#include "domA/device/software/exec/machine/warp.h"

namespace pegasus::software {

// Returns false if every split waits (or the warp has exited).
[[nodiscard]] bool runnable(Warp const&);
// Runs one split for a while. Afterwards Warp::stop has the reason why it stopped.
void run_warp(Warp&);

} // namespace pegasus::software
