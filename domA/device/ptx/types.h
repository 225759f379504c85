// SPDX-License-Identifier: Apache-2.0
// The keywords of declarations: types and state spaces. PTX ISA 9.0, sections 5.1 and 5.2.
#pragma once

#include "domA/device/ptx/module.h"

#include <string_view>

namespace pegasus::ptx {

[[nodiscard]] Type type_named(std::string_view);   // none if it is not a fundamental type
[[nodiscard]] Space space_named(std::string_view); // none if it is not a state space
[[nodiscard]] bool opaque_type(std::string_view);  // texref, samplerref, surfref

} // namespace pegasus::ptx
