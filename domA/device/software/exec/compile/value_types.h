// SPDX-License-Identifier: Apache-2.0
// PTX types as kinds of values in registers.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstdint>
#include <string_view>

namespace pegasus::software {

[[nodiscard]] ptx::Type type_named(std::string_view); // "u32"; none if it is not a type
[[nodiscard]] std::string_view name_of(ptx::Type);
[[nodiscard]] std::uint32_t width_of(ptx::Type); // bytes of its register: 0 (predicate), 2, 4, 8
[[nodiscard]] bool is_float(ptx::Type);
[[nodiscard]] bool is_signed(ptx::Type);
[[nodiscard]] ptx::Type bits_type(std::uint32_t bytes); // b16, b32, b64; pred for 0

} // namespace pegasus::software
