// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/types.h"

#include <array>
#include <utility>

namespace pegasus::ptx {

Type type_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Type>, 20> types{{
      {"b32", Type::b32},     {"b64", Type::b64},   {"u32", Type::u32},       {"u64", Type::u64},
      {"f32", Type::f32},     {"s32", Type::s32},   {"b8", Type::b8},         {"u8", Type::u8},
      {"s8", Type::s8},       {"b16", Type::b16},   {"u16", Type::u16},       {"s16", Type::s16},
      {"s64", Type::s64},     {"f64", Type::f64},   {"pred", Type::pred},     {"f16", Type::f16},
      {"f16x2", Type::f16x2}, {"bf16", Type::bf16}, {"bf16x2", Type::bf16x2}, {"b128", Type::b128},
  }};
  for (auto const& [text, type] : types)
    if (text == name) return type;
  return Type::none;
}

Space space_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Space>, 7> spaces{{
      {"reg", Space::reg},
      {"param", Space::param},
      {"local", Space::local},
      {"shared", Space::shared},
      {"const", Space::constant},
      {"global", Space::global},
      {"shared::cta", Space::shared},
  }};
  for (auto const& [text, space] : spaces)
    if (text == name) return space;
  return Space::none;
}

bool opaque_type(std::string_view name) {
  return name == "texref" || name == "samplerref" || name == "surfref";
}

} // namespace pegasus::ptx
