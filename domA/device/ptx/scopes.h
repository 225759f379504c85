// SPDX-License-Identifier: Apache-2.0
// The meaning of the names in one function body, scope by scope. PTX ISA 9.0, sections 5.4 (declarations) and
// 7: a block has its own registers, variables and labels; they hide those outside. Ordered maps: no input
// makes a look-up slow.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace pegasus::ptx {

struct Binding {
  enum class Kind : std::uint8_t {
    reg,      // `index` of the register
    range,    // prefix<count>: consecutive registers from `index` on
    vector,   // .v2 or .v4 register: `count` registers from `index` on
    variable, // `index` into Function::variables
    other,    // a parameter, label list or prototype: `name` is its name in the Function
  };
  Kind kind = Kind::other;
  Type type = Type::none;
  std::uint32_t depth = 0; // of the scope that declares it; set by Scopes
  std::uint32_t index = 0;
  std::uint32_t count = 1;
  std::string_view name;
};

class Scopes {
public:
  static constexpr std::uint32_t deepest = 256;

  Scopes() { open(); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(scopes_.size()); }
  void open();
  // Returns the scope's declarations (the caller may reuse them) and removes them.
  [[nodiscard]] std::vector<std::pair<std::string_view, Binding>> close();

  // Returns false if the scope already has that name.
  [[nodiscard]] bool declare(std::string_view name, Binding binding);

  struct Found {
    Binding binding;           // for a range: converted to the single register, kind reg
    bool out_of_range = false; // the name belongs to a declared range, but its number is too large
  };
  [[nodiscard]] std::optional<Found> find(std::string_view name) const;

private:
  struct Hidden {
    std::string_view name;
    bool range;
    std::optional<Binding> before;
  };
  using Names = std::map<std::string_view, Binding>;

  Names names_;
  Names ranges_; // by prefix
  std::vector<Hidden> undo_;
  std::vector<std::size_t> scopes_; // the start of each open scope's part of undo_
};

} // namespace pegasus::ptx
