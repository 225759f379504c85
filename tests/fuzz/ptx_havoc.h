// SPDX-License-Identifier: Apache-2.0
// PTX text, damaged a little: what is nearly valid gets further than what is not.
#pragma once

#include "tests/fuzz/input.h"

#include <string>

namespace pegasus::fuzz {

// One word replaced by another of the text or by one that makes trouble, a number changed, a line dropped,
// doubled or moved; `times` times.
[[nodiscard]] std::string havoc(std::string text, Input& choices, unsigned times);

} // namespace pegasus::fuzz
