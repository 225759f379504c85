// SPDX-License-Identifier: Apache-2.0
// Device functions: their signatures, and direct and indirect calls. The caller passes values in registers or
// in .param memory, independently of what the function declares.
#pragma once

#include "tests/fuzz/ptx_writer.h"

#include <span>
#include <vector>

namespace pegasus::fuzz {

// How a value is passed.
struct Parameter {
  char kind = 'r';
  bool in_register = false, unnamed = false;
  unsigned array = 0; // bytes of an array in .param memory; 0: no array
  bool operator==(Parameter const&) const = default;
};
struct Signature {
  bool returns = false;
  Parameter result;
  std::vector<Parameter> more; // after the cell's address and the depth
  bool operator==(Signature const&) const = default;
};

[[nodiscard]] Signature choose_signature(PtxWriter&);
[[nodiscard]] std::string declared(Parameter const&, std::string_view name);
// Calls one of the functions f0, f1, ... There must be at least one. Their addresses are in .global `calls`.
void write_call(PtxWriter&, std::span<Signature const> functions);

} // namespace pegasus::fuzz
