// SPDX-License-Identifier: Apache-2.0
// Where in memory what a function can name is. Lays out its own variables: local ones, the .param variables
// of calls and a function's parameters share the thread's local memory; an entry's parameters lie as a C
// structure (PTX ISA 5.2). What others share was placed by Linked and Reach.
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
    std::uint64_t at =
        0; // offset in the frame, the parameters, or the block's shared memory; else an address
  };

  Layout(KernelBuild const& build, Symbol const& function)
      : build_(build), function_(*function.function), scope_(build.linked, function) {}

  // Before anything is looked up: gives the function's variables their places, says in `draft` how it is
  // called, and pins the registers that it is called with.
  void lay_out(DraftFunction& draft, VirtualRegisters&, Diagnostics&);

  [[nodiscard]] Symbol symbol(std::string_view name) const { return scope_.find(name); }
  [[nodiscard]] Place find(std::string_view name) const; // none: no unit defines it
  // A local or .param variable of this function's frame; none: it is not one.
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
