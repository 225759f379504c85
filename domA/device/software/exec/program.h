// SPDX-License-Identifier: Apache-2.0
// A module made executable: PTX (one or several units, linked by name) lowered to warp-wide code, and its
// variables placed in device memory. machine/launch.h runs its kernels.
#pragma once

#include "domA/device/device.h"
#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/memory/memory.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::software {

class Kernel; // lowered code of one entry

class Program {
public:
  struct Failure {
    device::Status status; // invalid_ptx, out_of_memory, shared_object_symbol_not_found, ...
    std::string message;   // names the unit, line, and the opcode or symbol
    // Where a kernel's code is the reason: the message without the function and the line, and that line.
    std::string reason = {};
    std::uint32_t line = 0;
  };
  // `memory` must outlive the program. A kernel is lowered at its first request, so loading a 26 MB module
  // with hundreds of kernels costs only what is used; a kernel with an unsupported opcode fails at its first
  // request. `isa`: the host's instruction set, set by tests; the default is the best.
  [[nodiscard]] static tl::expected<std::unique_ptr<Program>, Failure>
  build(std::vector<ptx::Module> units, Memory& memory, Isa isa = Isa::best);
  ~Program();

  [[nodiscard]] tl::expected<Kernel const*, Failure> kernel(std::string_view name);
  [[nodiscard]] device::FunctionInfo info(Kernel const&) const;
  [[nodiscard]] device::Range global(std::string_view name) const; // bytes == 0 if there is none

private:
  struct State;
  explicit Program(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

// The units of `texts`, for Program::build().
[[nodiscard]] tl::expected<std::vector<ptx::Module>, Program::Failure>
parse_units(std::vector<std::string> texts);

} // namespace pegasus::software
