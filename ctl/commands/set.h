// SPDX-License-Identifier: Apache-2.0
// The settings of a domain as users give them to our programs: credits=512 memory=64M slo=0.25 latency=2ms.
#pragma once

#include "ctl/failure.h"

#include <string>
#include <vector>

namespace pegasus::ctl {

// Checks whether pegasusd, which decides, can accept these words: known, valid, none twice, at least one.
[[nodiscard]] Result<void> check_settings(std::vector<std::string> const& words);

} // namespace pegasus::ctl
