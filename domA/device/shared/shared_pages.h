// SPDX-License-Identifier: Apache-2.0
// The memory that pegasusd and the workers of one accelerator share, for any kind of accelerator: the
// engine's page (engine.h), and the limits and claims of device memory (quota.h). Each worker has a slot in
// all of them.
#pragma once

#include <cstdint>

namespace pegasus::shared {

inline constexpr std::uint32_t slot_count = 1024; // workers (guest tasks) on one accelerator

} // namespace pegasus::shared
