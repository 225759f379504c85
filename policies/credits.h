// SPDX-License-Identifier: Apache-2.0
// What a domain's part of the device is measured by.
#pragma once

#include "policies/view.h"

#include <cstdint>

namespace pegasus::policies {

using Credits = std::uint32_t (*)(DomainView const&);
inline std::uint32_t accelerator_credits(DomainView const& domain) { return domain.credits; }
inline std::uint32_t cpu_weight(DomainView const& domain) { return domain.cpu.weight; }
inline std::uint32_t equal_credits(DomainView const& /*domain*/) { return default_credits; }

} // namespace pegasus::policies
