// SPDX-License-Identifier: Apache-2.0
// For functions that take a variable of the device code, identified by the address of its shadow
// in the program.
#pragma once

#include "frontend/cudart/registry.h"

namespace pegasus::cudart {

struct Variable {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
};

inline cudaError_t find(Driver const& driver, CUcontext context, void const* symbol, Variable& variable) {
  Symbol* const registered = find_variable(symbol);
  if (registered == nullptr) return cudaErrorInvalidSymbol;
  return resolve_variable(driver, context, *registered, variable.address, variable.bytes);
}

// `use(Driver const&, Variable const&)` returns a cudaError_t.
template <class Use> cudaError_t with_variable(void const* symbol, Use&& use) {
  Driver const* driver = nullptr;
  CUcontext context = nullptr;
  Variable variable;
  if (cudaError_t const error = enter(driver, context); error != cudaSuccess) return finish(error);
  if (cudaError_t const error = find(*driver, context, symbol, variable); error != cudaSuccess)
    return finish(error);
  return finish(use(*driver, variable));
}

inline bool within(Variable const& variable, std::size_t offset, std::size_t bytes) {
  return offset <= variable.bytes && bytes <= variable.bytes - offset;
}

} // namespace pegasus::cudart
