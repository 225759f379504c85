// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/jit.h"

namespace pegasus::cuda {

CUresult Jit::load(CUmodule& module, void const* image) {
  return driver_.cuModuleLoadDataEx(&module, image, static_cast<unsigned>(options_.size()), options_.data(),
                                    values_.data());
}

CUresult Jit::link(CUmodule& module, std::vector<std::string>& units) {
  CUlinkState state = nullptr;
  CUresult result =
      driver_.cuLinkCreate(static_cast<unsigned>(options_.size()), options_.data(), values_.data(), &state);
  if (result != CUDA_SUCCESS) return result;
  for (std::string& unit : units)
    if (result == CUDA_SUCCESS)
      result = driver_.cuLinkAddData(state, CU_JIT_INPUT_PTX, unit.data(), unit.size() + 1, "unit", 0,
                                     nullptr, nullptr);
  void* cubin = nullptr;
  std::size_t bytes = 0;
  if (result == CUDA_SUCCESS) result = driver_.cuLinkComplete(state, &cubin, &bytes);
  if (result == CUDA_SUCCESS) result = driver_.cuModuleLoadDataEx(&module, cubin, 0, nullptr, nullptr);
  driver_.cuLinkDestroy(state); // also frees the cubin
  return result;
}

} // namespace pegasus::cuda
