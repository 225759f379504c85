// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/texture_operands.h"

#include <fmt/format.h>
#include <utility>

namespace pegasus::software {
namespace {

using ptx::Operand;
using ptx::Type;

constexpr std::pair<std::string_view, Geometry> geometries[] = {
    {"1d", Geometry::d1},   {"2d", Geometry::d2},     {"3d", Geometry::d3},       {"a1d", Geometry::a1d},
    {"a2d", Geometry::a2d}, {"cube", Geometry::cube}, {"acube", Geometry::acube},
};

constexpr std::pair<std::string_view, TextureQuery> queries[] = {
    {"width", TextureQuery::width},
    {"height", TextureQuery::height},
    {"depth", TextureQuery::depth},
    {"channel_data_type", TextureQuery::channel_data_type},
    {"channel_order", TextureQuery::channel_order},
    {"normalized_coords", TextureQuery::normalized_coordinates},
    {"force_unnormalized_coords", TextureQuery::unnormalized_coordinates},
    {"filter_mode", TextureQuery::filter_mode},
    {"addr_mode_0", TextureQuery::address_mode_0},
    {"addr_mode_1", TextureQuery::address_mode_1},
    {"addr_mode_2", TextureQuery::address_mode_2},
    {"array_size", TextureQuery::array_size},
    {"num_mipmap_levels", TextureQuery::levels},
    {"num_samples", TextureQuery::samples},
    {"memory_layout", TextureQuery::memory_layout},
};

template <class Table>
auto named(Table const& table, std::string_view name) -> std::optional<decltype(table[0].second)> {
  for (auto const& [known, value] : table)
    if (known == name) return value;
  return std::nullopt;
}

} // namespace

bool Words::take(std::string_view word) {
  if (left_.empty() || left_.front() != word) return false;
  left_ = left_.subspan(1);
  return true;
}

std::string_view Words::take() {
  if (left_.empty()) return {};
  std::string_view const word = left_.front();
  left_ = left_.subspan(1);
  return word;
}

std::optional<Geometry> Words::take_geometry() { return named(geometries, take()); }

std::optional<TextureQuery> query_named(std::string_view name) { return named(queries, name); }

std::uint32_t handle_in(Lowering& l, ptx::Instruction const& i, Operand const& o) {
  if (o.kind != Operand::Kind::address) {
    l.errors.invalid("the operand is not a texture or a surface");
    return 0;
  }
  if (!o.reg_base) {
    l.errors.unsupported(i, fmt::format("{} is a name, and only a register's handle is supported",
                                        o.symbol.empty() ? "a number" : fmt::format("'{}'", o.symbol)));
    return 0;
  }
  std::uint32_t const handle = l.registers.declared(o.reg);
  if (handle == 0 || l.registers.width(handle) != 8 || o.offset != 0)
    l.errors.invalid("the handle of a texture or a surface is not in a register of 64 bits");
  return handle;
}

void append_values(Lowering& l, Operand const& o, std::size_t count, Type type, Registers& to) {
  if (o.kind != Operand::Kind::vector && count == 1) return to.push_back(l.operands.source(o, type));
  if (o.kind != Operand::Kind::vector || o.elements.size() < count)
    return l.errors.invalid(fmt::format("an operand that is not a vector of {} values", count));
  for (std::size_t k = 0; k < count; ++k)
    to.push_back(l.operands.source(o.elements[k], type));
}

std::uint32_t handle_and_place(Lowering& l, ptx::Instruction const& i, Operand const& o, Geometry geometry,
                               Type type, Registers& to) {
  std::uint32_t const handle = handle_in(l, i, o);
  if (l.errors.failed()) return 0;
  if (o.elements.size() == 2) {
    l.errors.unsupported(i, "a sampler apart from the texture");
    return 0;
  }
  if (o.elements.size() != 1) {
    l.errors.invalid("a texture or a surface without coordinates");
    return 0;
  }
  std::uint32_t const coordinates = coordinates_of(geometry);
  if (!has_layer(geometry)) {
    append_values(l, o.elements[0], coordinates, type, to);
    return handle;
  }
  Operand const& vector = o.elements[0];
  if (vector.kind != Operand::Kind::vector || vector.elements.size() < coordinates + 1) {
    l.errors.invalid("a place in a layered array without the layer");
    return 0;
  }
  to.push_back(l.operands.source(vector.elements[0], Type::u32));
  for (std::uint32_t k = 1; k <= coordinates; ++k)
    to.push_back(l.operands.source(vector.elements[k], type));
  return handle;
}

} // namespace pegasus::software
