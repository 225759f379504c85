// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/immediate.h"

#include "domA/device/software/exec/compile/value_types.h"
#include "domA/device/software/exec/half.h"

#include <bit>

namespace pegasus::software {

std::uint64_t immediate(ptx::Operand const& o, ptx::Type type) {
  if (o.kind == ptx::Operand::Kind::integer) {
    if (type == ptx::Type::f32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits)));
    if (type == ptx::Type::f64)
      return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits)));
    return o.bits;
  }
  double const wide = o.single ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)))
                               : std::bit_cast<double>(o.bits);
  switch (width_of(type)) {
  case 2:
    return half_of(static_cast<float>(wide));
  case 4:
    return o.single ? o.bits : std::bit_cast<std::uint32_t>(static_cast<float>(wide));
  default:
    return o.single ? std::bit_cast<std::uint64_t>(wide) : o.bits;
  }
}

} // namespace pegasus::software
