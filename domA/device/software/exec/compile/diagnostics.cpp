// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/diagnostics.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

std::string full_name(ptx::Instruction const& i) {
  std::string name(i.mnemonic);
  for (std::string_view const m : i.modifiers)
    name.append(".").append(m);
  return name;
}

} // namespace

void Diagnostics::fail(device::Status status, std::string const& what) {
  if (error_) return;
  error_ = BuildError{status,
                      fmt::format("{} '{}', PTX line {}: {}", function_.entry ? "kernel" : "function",
                                  function_.name, line_, what),
                      what, line_};
}

void Diagnostics::unsupported(ptx::Instruction const& i, std::string_view why) {
  fail(device::Status::not_supported,
       fmt::format("the software accelerator does not know the instruction '{}'{}{}", full_name(i),
                   why.empty() ? "" : ": ", why));
}

} // namespace pegasus::software
