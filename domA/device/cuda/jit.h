// SPDX-License-Identifier: Apache-2.0
// The driver's compiler and linker, and their messages.
#pragma once

#include "domA/device/cuda/code_cache.h"
#include "domA/device/cuda/driver.h"

#include <array>
#include <string>
#include <vector>

namespace pegasus::cuda {

class Jit {
public:
  explicit Jit(Driver const& driver) : driver_(driver) {}
  Jit(Jit const&) = delete; // the options point into this object
  Jit& operator=(Jit const&) = delete;

  // Loads an image of any kind that the driver knows; PTX ends with a NUL.
  [[nodiscard]] CUresult load(CUmodule& module, void const* image);
  // Compiles and loads PTX, or loads what the cache has of it.
  [[nodiscard]] CUresult compile(CUmodule& module, std::string const& ptx, std::uint32_t compute_capability,
                                 CodeCache& cache);
  // Links PTX units into one loaded module, whose machine code is in `code`.
  [[nodiscard]] CUresult link(CUmodule& module, std::vector<std::string>& units,
                              std::vector<std::byte>& code);
  [[nodiscard]] std::string log() const { return {errors_.data()}; } // of the last call

private:
  Driver const& driver_;
  std::array<char, 8192> errors_{}; // its last byte ends what the driver does not end
  std::array<CUjit_option, 2> options_{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values_{errors_.data(), reinterpret_cast<void*>(errors_.size() - 1)};
};

} // namespace pegasus::cuda
