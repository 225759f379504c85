// SPDX-License-Identifier: Apache-2.0
// Reads what a worker reports of itself in its usage page. These are claims: monitor/usage_meter.h accepts
// what is possible.
#pragma once

#include "domA/gate/pages.h"
#include "monitor/usage_meter.h"

#include <array>
#include <cstdint>

namespace pegasus::scheduler {

// `clock_at_zero`: CLOCK_MONOTONIC, by which workers report since when they execute, at time 0.
[[nodiscard]] monitor::TaskTotals totals_of(gate::UsagePage const& page, policies::Nanos clock_at_zero);

[[nodiscard]] std::array<std::uint32_t, gate::latency_buckets> latency_of(gate::UsagePage const& page);

} // namespace pegasus::scheduler
