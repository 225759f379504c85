// SPDX-License-Identifier: Apache-2.0
// What it takes a GPU to go from one context's work to another's, measured when pegasusd starts.
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>
#include <optional>

namespace pegasus::cuda {

// In nanoseconds, 10 ms at most: how much longer empty kernels of two contexts by turns take than those of
// one, each waited for. Close to 0 where contexts share the device (MPS). nullopt if the driver refuses a
// part of it.
[[nodiscard]] std::optional<std::int64_t> switch_cost(Driver const& driver, int ordinal);

} // namespace pegasus::cuda
