// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/prologue.h"

#include "domA/device/slicing/piece.h"

#include <fmt/core.h>

namespace pegasus::slicing {
namespace {

std::string index_name(bool of_grid, std::size_t axis) {
  return fmt::format("%{}_{}ctaid_{}", reserved, of_grid ? "n" : "", "xyz"[axis]);
}

} // namespace

std::string Prologue::index(bool of_grid, std::size_t axis) {
  reads_[of_grid ? 1 : 0][axis] = true;
  return index_name(of_grid, axis);
}

std::string Prologue::address(std::string_view variable, std::uint64_t address) {
  auto const [at, fresh] = number_.try_emplace(variable, addresses_.size());
  if (fresh) addresses_.push_back(address);
  return fmt::format("%{}_g{}", reserved, at->second);
}

std::string Prologue::parameter() {
  return fmt::format(".param .align {} .b8 {}_piece[{}]", alignof(Piece), reserved, sizeof(Piece));
}

std::string Prologue::text() const {
  std::string text;
  for (bool const of_grid : {false, true})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!reads_[of_grid ? 1 : 0][axis]) continue;
      std::string const name = index_name(of_grid, axis);
      std::size_t const offset = (of_grid ? offsetof(Piece, grid) : offsetof(Piece, offset)) + 4 * axis;
      text += fmt::format("\n\t.reg .b32 {0};\n\tld.param.u32 {0}, [{1}_piece+{2}];", name, reserved, offset);
      if (of_grid) continue;
      text += fmt::format("\n\t.reg .b32 %{0}_own_{1};\n\tmov.u32 %{0}_own_{1}, %ctaid.{1};"
                          "\n\tadd.u32 {2}, {2}, %{0}_own_{1};",
                          reserved, "xyz"[axis], name);
    }
  if (!addresses_.empty()) text += fmt::format("\n\t.reg .b64 %{}_g<{}>;", reserved, addresses_.size());
  for (std::size_t i = 0; i < addresses_.size(); ++i)
    text += fmt::format("\n\tmov.u64 %{}_g{}, {:#x};", reserved, i, addresses_[i]);
  return text + "\n";
}

} // namespace pegasus::slicing
