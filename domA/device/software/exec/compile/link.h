// SPDX-License-Identifier: Apache-2.0
// Units linked by name: PTX ISA 5.4 (.extern, .visible, .weak, .common) and 11.6 (linking directives).
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/compile/failure.h"
#include "domA/device/software/exec/memory/memory.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pegasus::software {

struct Symbol {
  std::uint32_t unit = 0;
  ptx::Function const* function = nullptr;
  ptx::Variable const* variable = nullptr;
  [[nodiscard]] bool found() const { return function != nullptr || variable != nullptr; }
};

class Linked {
public:
  // Refers to `units`; they must not move afterwards.
  [[nodiscard]] std::optional<BuildError> link(std::vector<ptx::Module> const& units);
  // Places global and constant variables, and fills in their initial values. After an error, `memory` still
  // has the earlier allocations; release() frees them.
  [[nodiscard]] std::optional<BuildError> place(Memory& memory);
  void release(Memory& memory);

  // The definition that a name means in a unit; its declaration for an extern that no unit defines.
  [[nodiscard]] Symbol find(std::uint32_t unit, std::string_view name) const;
  [[nodiscard]] Symbol find_entry(std::string_view name) const;
  // Address of a placed variable, or 0.
  [[nodiscard]] Address address(ptx::Variable const*) const;
  [[nodiscard]] Address address(ptx::Function const*) const;
  [[nodiscard]] device::Range global(std::string_view name) const;
  [[nodiscard]] ptx::Module const& unit(std::uint32_t i) const { return (*units_)[i]; }
  // Functions with their address in a variable's initial value (tables of virtual functions).
  [[nodiscard]] std::vector<Symbol> const& functions_in_data() const { return functions_in_data_; }

private:
  using Names = std::unordered_map<std::string_view, Symbol>;
  std::optional<BuildError> define(std::uint32_t unit, std::string_view name, Symbol);
  std::optional<BuildError> add_unit(std::uint32_t unit);
  std::optional<BuildError> relocate(std::uint32_t unit, ptx::Variable const&, Memory&);

  std::vector<ptx::Module> const* units_ = nullptr;
  std::vector<Names> local_;
  Names global_;
  std::unordered_map<ptx::Variable const*, device::Range> placed_;
  std::unordered_map<ptx::Function const*, Address> function_address_;
  std::vector<Symbol> functions_in_data_;
};

} // namespace pegasus::software
