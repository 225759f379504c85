// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/empty_kernel.h"

#include "domA/device/cuda/jit.h"

#include <fmt/format.h>

namespace pegasus::cuda {

tl::expected<void, std::string> try_compiler(Driver const& driver) {
  Jit jit(driver);
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  int registers = 0;
  CUresult result = jit.load(module, empty_kernel);
  // A driver that loads lazily compiles when the kernel is asked for.
  if (result == CUDA_SUCCESS) result = driver.cuModuleGetFunction(&kernel, module, "empty");
  if (result == CUDA_SUCCESS)
    result = driver.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel);
  if (module != nullptr) driver.cuModuleUnload(module);
  if (result == CUDA_SUCCESS) return {};
  std::string const log = jit.log();
  return tl::unexpected(fmt::format("the CUDA driver cannot compile PTX: {}{}{}", driver.name_of(result),
                                    log.empty() ? "" : ": ", log));
}

} // namespace pegasus::cuda
