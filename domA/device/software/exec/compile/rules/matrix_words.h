// SPDX-License-Identifier: Apache-2.0
// The words of a matrix instruction's name, sorted by kind: PTX ISA 9.7.14.
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/matrix_shapes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::software {

struct MatrixWords {
  std::string_view shape;                // m16n8k8
  std::vector<std::string_view> layouts; // row, col
  std::vector<std::string_view> types;   // f16, s4, ...
  std::string_view rounding;             // rn, rz, rm, rp; of f64
  ptx::Space space = ptx::Space::none;   // none: a generic address
  std::uint32_t matrices = 0;            // x1, x2, x4
  std::string others;                    // load.a, mma.satfinite, xor.popc, trans, ...
  [[nodiscard]] bool layouts_are(std::string_view first, std::string_view second) const {
    return layouts.size() == 2 && layouts[0] == first && layouts[1] == second;
  }
};
// Returns nullopt without .sync.aligned, or if a word is unknown.
[[nodiscard]] std::optional<MatrixWords> matrix_words(ptx::Instruction const&);

// Elements of A and B. Returns nullopt for another type.
[[nodiscard]] std::optional<Element> element_named(std::string_view type);
// The row of matrix_shapes. Returns nullopt if the instruction, wmma or mma, does not have it.
[[nodiscard]] std::optional<std::uint32_t> shape_named(std::string_view name, Element, bool wmma);

} // namespace pegasus::software
