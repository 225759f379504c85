// SPDX-License-Identifier: Apache-2.0
// The current line of the function that is being lowered, and the first error. Work after an error is
// harmless and is discarded.
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/compile/failure.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::software {

class Diagnostics {
public:
  explicit Diagnostics(ptx::Function const& function) : function_(function), line_(function.line) {}

  void at(std::uint32_t line) { line_ = line; }
  [[nodiscard]] std::uint32_t line() const { return line_; }

  // Keeps the first error; its message is prefixed with function and line.
  void fail(device::Status, std::string const& what);
  void invalid(std::string const& what) { fail(device::Status::invalid_ptx, what); }
  void unsupported(ptx::Instruction const&, std::string_view why = {});

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] std::optional<BuildError> const& error() const { return error_; }

private:
  ptx::Function const& function_;
  std::uint32_t line_;
  std::optional<BuildError> error_;
};

} // namespace pegasus::software
