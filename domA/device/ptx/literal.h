// SPDX-License-Identifier: Apache-2.0
// The value of a literal or a constant expression. PTX ISA 9.0, section 4.5.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::ptx {

struct Constant {
  enum class Kind : std::uint8_t { s64, u64, f64 };
  Kind kind = Kind::s64;
  bool single = false; // f64 only: written as 0fXXXXXXXX, `bits` are those of the f32
  std::uint64_t bits = 0;

  [[nodiscard]] bool real() const { return kind == Kind::f64; }
  [[nodiscard]] bool is_signed() const { return kind == Kind::s64; }
  // Any kind as a double; exact except for integers beyond 2^53.
  [[nodiscard]] double value() const;

  [[nodiscard]] static Constant of(std::int64_t v) {
    return {Kind::s64, false, static_cast<std::uint64_t>(v)};
  }
  [[nodiscard]] static Constant of(std::uint64_t v) { return {Kind::u64, false, v}; }
  [[nodiscard]] static Constant of(double v) { return {Kind::f64, false, std::bit_cast<std::uint64_t>(v)}; }
};

// Returns nullopt if it is not a PTX literal, or an integer of more than 64 bits.
[[nodiscard]] std::optional<Constant> literal(std::string_view text);

} // namespace pegasus::ptx
