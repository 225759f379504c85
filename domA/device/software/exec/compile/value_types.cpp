// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/value_types.h"

#include <array>
#include <utility>

namespace pegasus::software {

using ptx::Type;

namespace {
constexpr std::array<std::pair<std::string_view, Type>, 20> type_names{{
    {"pred", Type::pred}, {"b8", Type::b8},         {"b16", Type::b16}, {"b32", Type::b32},
    {"b64", Type::b64},   {"b128", Type::b128},     {"u8", Type::u8},   {"u16", Type::u16},
    {"u32", Type::u32},   {"u64", Type::u64},       {"s8", Type::s8},   {"s16", Type::s16},
    {"s32", Type::s32},   {"s64", Type::s64},       {"f16", Type::f16}, {"f16x2", Type::f16x2},
    {"bf16", Type::bf16}, {"bf16x2", Type::bf16x2}, {"f32", Type::f32}, {"f64", Type::f64},
}};
} // namespace

Type type_named(std::string_view name) {
  for (auto const& [text, type] : type_names)
    if (text == name) return type;
  return Type::none;
}

std::string_view name_of(Type type) {
  for (auto const& [text, t] : type_names)
    if (t == type) return text;
  return "none";
}

// 8-bit values live in 16-bit registers.
std::uint32_t width_of(Type type) {
  switch (type) {
  case Type::pred:
  case Type::none:
    return 0;
  case Type::b8:
  case Type::u8:
  case Type::s8:
    return 2;
  default:
    return ptx::bytes_of(type);
  }
}

bool is_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2 ||
         type == Type::f32 || type == Type::f64;
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

Type bits_type(std::uint32_t bytes) {
  switch (bytes) {
  case 0:
    return Type::pred;
  case 1:
    return Type::b8;
  case 2:
    return Type::b16;
  case 4:
    return Type::b32;
  case 8:
    return Type::b64;
  default:
    return Type::none;
  }
}

} // namespace pegasus::software
