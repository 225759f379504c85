// SPDX-License-Identifier: Apache-2.0
// The settings of a domain as people write them: credits=512 memory=64M slo=0.25 latency=2ms.
#pragma once

#include "ctl/control.pb.h"
#include "ctl/failure.h"

#include <string>
#include <vector>

namespace pegasus::ctl {

inline constexpr std::uint32_t credits_max = 65535;

// Fills `request` from `key=value` words; at least one is needed and none may come twice.
[[nodiscard]] Result<void> parse_settings(std::vector<std::string> const& words, control::SetDomain& request);

} // namespace pegasus::ctl
