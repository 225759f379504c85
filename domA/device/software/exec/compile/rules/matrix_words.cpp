// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/matrix_words.h"

#include "domA/device/software/exec/compile/rules/memory_words.h"

#include <algorithm>
#include <span>

namespace pegasus::software {

namespace {

constexpr std::string_view types[] = {"f16", "f32", "s32", "s8",   "u8",   "s4",
                                      "u4",  "b1",  "b16", "bf16", "tf32", "f64"};
constexpr std::string_view others[] = {"load", "store", "mma",  "a",         "b",   "c",
                                       "d",    "trans", "popc", "satfinite", "xor", "and"};

bool is_in(std::span<std::string_view const> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

} // namespace

std::optional<MatrixWords> matrix_words(ptx::Instruction const& i) {
  MatrixWords words;
  bool sync = false, aligned = false;
  for (std::string_view const word : i.modifiers) {
    if (word == "sync") {
      sync = true;
    } else if (word == "aligned") {
      aligned = true;
    } else if (word == "row" || word == "col") {
      words.layouts.push_back(word);
    } else if (word == "rn" || word == "rz" || word == "rm" || word == "rp") {
      words.rounding = word;
    } else if (word == "x1" || word == "x2" || word == "x4") {
      words.matrices = static_cast<std::uint32_t>(word[1] - '0');
    } else if (is_in(types, word)) {
      words.types.push_back(word);
    } else if (is_in(others, word)) {
      words.others.append(words.others.empty() ? "" : ".").append(word);
    } else if (ptx::Space const s = space_named(word); s == ptx::Space::global || s == ptx::Space::shared) {
      words.space = s;
    } else if (word.starts_with("m") && words.shape.empty()) {
      words.shape = word;
    } else {
      return std::nullopt;
    }
  }
  if (!sync || !aligned) return std::nullopt;
  return words;
}

std::optional<Element> element_named(std::string_view type) {
  if (type == "f16") return Element::f16;
  if (type == "bf16") return Element::bf16;
  if (type == "tf32") return Element::tf32;
  if (type == "f64") return Element::f64;
  if (type == "s8" || type == "u8") return Element::i8;
  if (type == "s4" || type == "u4") return Element::i4;
  if (type == "b1") return Element::b1;
  return std::nullopt;
}

std::optional<std::uint32_t> shape_named(std::string_view name, Element element, bool wmma) {
  auto const* const at = std::ranges::find_if(matrix_shapes, [&](MatrixShape const& s) {
    return s.name == name && s.element == element && (wmma ? s.wmma : s.mma);
  });
  if (at == std::end(matrix_shapes)) return std::nullopt;
  return static_cast<std::uint32_t>(at - std::begin(matrix_shapes));
}

} // namespace pegasus::software
