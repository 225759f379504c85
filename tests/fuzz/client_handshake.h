// SPDX-License-Identifier: Apache-2.0
// What a hostile daemon answers to a guest's hello, over a real socket.
#pragma once

#include "tests/fuzz/input.h"

namespace pegasus::fuzz {

// Input: how many bytes the packet has less than a welcome (8 bits), how many pages are behind it (8 bits),
// what the welcome and the pages' header have other than ordinary ones.
void shake_hostile_hand(Input input);

} // namespace pegasus::fuzz
