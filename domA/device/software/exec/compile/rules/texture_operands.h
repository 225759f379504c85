// SPDX-License-Identifier: Apache-2.0
// The words and operands that instructions on textures and on surfaces have in common.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/texture_forms.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pegasus::software {

using Registers = std::vector<std::uint32_t>;

// An instruction's modifiers, from the first to the last.
class Words {
public:
  explicit Words(ptx::Instruction const& i) : left_(i.modifiers) {}
  // The next word, if it is this one.
  [[nodiscard]] bool take(std::string_view word);
  [[nodiscard]] std::string_view take();                 // empty after the last one
  [[nodiscard]] std::optional<Geometry> take_geometry(); // 1d, a2d, cube, ...
  [[nodiscard]] bool empty() const { return left_.empty(); }

private:
  std::span<std::string_view const> left_;
};

// width, channel_order, ...
[[nodiscard]] std::optional<TextureQuery> query_named(std::string_view name);

// The register of [handle] or [handle, coordinates].
[[nodiscard]] std::uint32_t handle_in(Lowering&, ptx::Instruction const&, ptx::Operand const&);
// The same; appends the layer, if the geometry has one, and coordinates of `type`.
[[nodiscard]] std::uint32_t handle_and_place(Lowering&, ptx::Instruction const&, ptx::Operand const&,
                                             Geometry, ptx::Type type, Registers& to);
// `count` values of a vector of at least so many, or of a single register.
void append_values(Lowering&, ptx::Operand const&, std::size_t count, ptx::Type, Registers& to);

} // namespace pegasus::software
