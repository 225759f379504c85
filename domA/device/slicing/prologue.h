// SPDX-License-Identifier: Apache-2.0
// What stands at the beginning of a rewritten function: registers for what its code reads. The driver's
// compiler moves or repeats such loads and constants as it likes, so that they cost no registers for long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::slicing {

// No name in the text may contain it: what we add is named so.
inline constexpr std::string_view reserved = "pegasus_slice";

class Prologue {
public:
  // The register that has what %ctaid (or, of the grid, %nctaid) is in the whole launch; axis 0 is x.
  [[nodiscard]] std::string index(bool of_grid, std::size_t axis);
  // The register that has a variable's address.
  [[nodiscard]] std::string address(std::string_view variable, std::uint64_t address);

  [[nodiscard]] std::string text() const;
  // The kernel's new parameter, a Piece.
  [[nodiscard]] static std::string parameter();

private:
  std::array<std::array<bool, 3>, 2> reads_{};     // index(of_grid, axis) was called
  std::map<std::string_view, std::size_t> number_; // of a variable
  std::vector<std::uint64_t> addresses_;           // by number
};

} // namespace pegasus::slicing
