// SPDX-License-Identifier: Apache-2.0
// The beginning of a rewritten function: registers with the values that its code reads. The driver's compiler
// may move or repeat such loads and constants, so they do not occupy registers for long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::slicing {

// The text must not contain it in a name: all added names start with it.
inline constexpr std::string_view reserved = "pegasus_slice";

class Prologue {
public:
  // The register with the value of %ctaid (of_grid: %nctaid) in the whole launch; axis 0 is x.
  [[nodiscard]] std::string index(bool of_grid, std::size_t axis);
  // The register with a variable's address.
  [[nodiscard]] std::string address(std::string_view variable, std::uint64_t address);

  [[nodiscard]] std::string text() const;
  // The additional parameter of the kernel, a Piece.
  [[nodiscard]] static std::string parameter();

private:
  std::array<std::array<bool, 3>, 2> reads_{};     // index(of_grid, axis) was called
  std::map<std::string_view, std::size_t> number_; // of a variable
  std::vector<std::uint64_t> addresses_;           // by number
};

} // namespace pegasus::slicing
