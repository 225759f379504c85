// SPDX-License-Identifier: Apache-2.0
// A hostile daemon's answer to a guest's connect request, over a real socket.
#pragma once

#include "tests/fuzz/input.h"

namespace pegasus::fuzz {

// Input: by how many bytes the packet is shorter than a connect reply (8 bits), what comes with it (8
// bits: slots, descriptors, the length of the file), and the changes to an ordinary connect reply and
// an ordinary header.
void shake_hostile_hand(Input input);

} // namespace pegasus::fuzz
