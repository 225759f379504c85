// SPDX-License-Identifier: Apache-2.0
// The special registers that are known, by their names in PTX.
#pragma once

#include "domA/device/software/exec/ops.h"

#include <optional>
#include <string_view>

namespace pegasus::software {

// Of "%tid.x" and the like.
[[nodiscard]] std::optional<SpecialRegister> special_register(std::string_view name);

} // namespace pegasus::software
