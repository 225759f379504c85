// SPDX-License-Identifier: Apache-2.0
// What the names of one function body mean, scope by scope. PTX ISA 9.0, section 5.4 (declarations) and 7: a
// block has its own registers, variables and labels; they hide those outside. Ordered maps: no input makes a
// look-up slow.
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
    range,    // prefix<count>: the registers from `index` on
    vector,   // .v2 or .v4 register: `count` registers from `index` on
    variable, // `index` into Function::variables
    other,    // a parameter, label list or prototype: `name` is what it is called in the Function
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
  // Gives what the scope declared (the caller may reuse it) and forgets it.
  [[nodiscard]] std::vector<std::pair<std::string_view, Binding>> close();

  // false: the scope has that name already.
  [[nodiscard]] bool declare(std::string_view name, Binding binding);

  struct Found {
    Binding binding;           // of a range: made the register's own, kind reg
    bool out_of_range = false; // the name is a declared range's, with too large a number
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
  std::vector<std::size_t> scopes_; // where each open scope's part of undo_ begins
};

} // namespace pegasus::ptx
