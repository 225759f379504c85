// SPDX-License-Identifier: Apache-2.0
// What pegasusd and the workers of one accelerator share in memory, whatever the accelerator is: the engine's
// page (engine.h), and the memory's limits and claims (quota.h). Each worker has a seat in all of them.
#pragma once

#include <cstdint>

namespace pegasus::shared {

inline constexpr std::uint32_t seat_count = 1024; // workers (guest tasks) on one accelerator

} // namespace pegasus::shared
