// SPDX-License-Identifier: Apache-2.0
// The supported special registers, by their names in PTX.
#pragma once

#include "domA/device/software/exec/ops.h"

#include <optional>
#include <string_view>

namespace pegasus::software {

// For names such as "%tid.x".
[[nodiscard]] std::optional<SpecialRegister> special_register(std::string_view name);

} // namespace pegasus::software
