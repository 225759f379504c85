// SPDX-License-Identifier: Apache-2.0
// Damages PTX text a little: text that is nearly valid gets further than other text.
#pragma once

#include "tests/fuzz/input.h"

#include <string>

namespace pegasus::fuzz {

// `times` times: replaces a word by another of the text or by one that makes trouble, changes a digit, or
// drops, doubles or moves a line.
[[nodiscard]] std::string havoc(std::string text, Input& choices, unsigned times);

} // namespace pegasus::fuzz
