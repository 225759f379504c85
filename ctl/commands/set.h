// SPDX-License-Identifier: Apache-2.0
// The settings of a domain as people give them to our programs: credits=512 memory=64M slo=0.25 latency=2ms.
#pragma once

#include "ctl/failure.h"

#include <string>
#include <vector>

namespace pegasus::ctl {

// Whether pegasusd, which decides, can take these words at all: known, valid, none twice, one at least.
[[nodiscard]] Result<void> check_settings(std::vector<std::string> const& words);

} // namespace pegasus::ctl
