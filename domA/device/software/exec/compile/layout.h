// SPDX-License-Identifier: Apache-2.0
// Where the objects that a function can name are in memory. Places the function's own variables: local
// variables, the .param variables of calls and a function's parameters share the thread's local
// memory; an entry's parameters are laid out as a C structure (PTX ISA 5.2). Linked and Reach have
// placed the shared objects.
#pragma once

#include "domA/device/software/exec/compile/diagnostics.h"
#include "domA/device/software/exec/compile/draft.h"
#include "domA/device/software/exec/compile/kernel_build.h"
#include "domA/device/software/exec/compile/virtual_registers.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace pegasus::software {

class Layout {
public:
  struct Place {
    enum class Kind { none, frame, kernel_parameter, shared, global, function };
    Kind kind = Kind::none;
    // Offset in the frame, the parameters, or the block's shared memory; otherwise an address.
    std::uint64_t at = 0;
  };

  Layout(KernelBuild const& build, Symbol const& function)
      : build_(build), function_(*function.function), scope_(build.linked, function) {}

  // Call it before any look-up: places the function's variables, records in `draft` how the function is
  // called, and pins the registers of its parameters.
  void lay_out(DraftFunction& draft, VirtualRegisters&, Diagnostics&);

  [[nodiscard]] Symbol symbol(std::string_view name) const { return scope_.find(name); }
  [[nodiscard]] Place find(std::string_view name) const; // none if no unit defines it
  // A local or .param variable of this function's frame; nullopt if it is not one.
  [[nodiscard]] std::optional<Passing> in_frame(std::string_view name) const;

private:
  void lay_out_entry_parameters();
  std::uint32_t place(ptx::Variable const&, Diagnostics&);
  Passing pass(ptx::Variable const&, VirtualRegisters&, Diagnostics&);
  [[nodiscard]] Place place_of(ptx::Variable const&) const;

  KernelBuild const& build_;
  ptx::Function const& function_;
  Scope scope_;
  std::uint64_t frame_bytes_ = 0;
  std::unordered_map<ptx::Variable const*, std::uint32_t> frame_offset_;
  std::unordered_map<ptx::Variable const*, std::uint32_t> parameter_offset_; // of an entry's parameters
};

} // namespace pegasus::software
