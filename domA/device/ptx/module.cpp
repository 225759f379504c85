// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/module.h"

namespace pegasus::ptx {

std::uint32_t bytes_of(Type type) {
  switch (type) {
  case Type::none:
    return 0;
  case Type::pred:
  case Type::b8:
  case Type::u8:
  case Type::s8:
    return 1;
  case Type::b16:
  case Type::u16:
  case Type::s16:
  case Type::f16:
  case Type::bf16:
    return 2;
  case Type::b32:
  case Type::u32:
  case Type::s32:
  case Type::f16x2:
  case Type::bf16x2:
  case Type::f32:
    return 4;
  case Type::b64:
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return 8;
  case Type::b128:
    return 16;
  }
  return 0;
}

} // namespace pegasus::ptx
