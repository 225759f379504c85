// SPDX-License-Identifier: Apache-2.0
// Device functions: what they take and give, and calls of them, direct and indirect, with values in registers
// and in .param memory whatever the function has.
#pragma once

#include "tests/fuzz/ptx_writer.h"

#include <span>
#include <vector>

namespace pegasus::fuzz {

// How a value is handed over.
struct Parameter {
  char kind = 'r';
  bool in_register = false, unnamed = false;
  unsigned array = 0; // bytes of an array in .param memory; 0: no array
  bool operator==(Parameter const&) const = default;
};
struct Signature {
  bool returns = false;
  Parameter result;
  std::vector<Parameter> more; // behind the cell's address and the depth
  bool operator==(Signature const&) const = default;
};

[[nodiscard]] Signature choose_signature(PtxWriter&);
[[nodiscard]] std::string declared(Parameter const&, std::string_view name);
// Of one of functions f0, f1, ..., of which there is one at least, and whose addresses are in .global
// `calls`.
void write_call(PtxWriter&, std::span<Signature const> functions);

} // namespace pegasus::fuzz
