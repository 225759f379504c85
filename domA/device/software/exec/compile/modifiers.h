// SPDX-License-Identifier: Apache-2.0
// The dotted parts of an instruction's name, sorted by kind.
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/compile/value_types.h"
#include "domA/device/software/exec/op.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace pegasus::software {

class Modifiers {
public:
  explicit Modifiers(ptx::Instruction const&);
  [[nodiscard]] bool has(std::string_view word) const;
  [[nodiscard]] ptx::Type type(std::size_t i = 0) const {
    return i < types.size() ? types[i] : ptx::Type::none;
  }
  std::vector<ptx::Type> types;
  std::vector<std::string_view> words; // the others, in order, without rounding, ftz and sat
  Round round = Round::nearest;
  std::string_view integral; // rni, rzi, rmi, rpi
  bool ftz = false, sat = false;
};

} // namespace pegasus::software
