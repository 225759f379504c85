// SPDX-License-Identifier: Apache-2.0
// Writes the parts of a generated module: choices, names of registers, lines.
#pragma once

#include "tests/fuzz/input.h"
#include "tests/fuzz/ptx_forms.h"

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace pegasus::fuzz {

// Kinds of registers: p a predicate; h, r and d 16, 32 and 64 bits. Statements compute with %p0, %h0, %r0,
// %d0 and so on, and the kernel stores these at the end. The others are helpers: %q, %i0 to %i3 (32 bits),
// %a0 to %a3 (64 bits), and %sink and %wide_sink for values that are not part of the results.
constexpr unsigned count_of(char kind) { return kind == 'p' ? 6 : kind == 'h' ? 6 : kind == 'r' ? 10 : 8; }
constexpr unsigned bytes_of(char kind) { return kind == 'h' ? 2 : kind == 'r' ? 4 : 8; }
constexpr char kind_of(unsigned bits) { return bits == 0 ? 'p' : bits == 16 ? 'h' : bits == 32 ? 'r' : 'd'; }

class PtxWriter {
public:
  explicit PtxWriter(Input& input) : in_(input), hostile_(pick(8) == 7) {}

  template <class... T> void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }
  [[nodiscard]] std::string take_text() { return std::move(text_); }

  template <class T> T take() { return in_.take<T>(); }
  [[nodiscard]] bool empty() const { return in_.empty(); } // no bytes are left for choices
  unsigned pick(unsigned n) { return take<std::uint8_t>() % n; }
  std::string_view pick(std::string_view words) { return word_of(words, take<std::uint8_t>()); }
  bool rarely() { return take<std::uint8_t>() >= 250; } // false once the bytes have run out
  // Whether the module has much that no compiler generates. Most of that is refused, so other modules have
  // little of it.
  [[nodiscard]] bool hostile() const { return hostile_; }
  unsigned number() { return ++numbers_; } // for a unique name

  std::string reg(char kind);
  std::string value(char kind); // a register or an immediate; i: always an immediate
  std::string guard();          // mostly none

private:
  Input& in_;
  bool hostile_;
  std::string text_;
  unsigned numbers_ = 0;
};

} // namespace pegasus::fuzz
