// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/jit.h"

#include "domA/device/image/device_memory.h"
#include "domA/device/image/image_set.h"

#include <algorithm>
#include <cstring>

namespace pegasus::cuda {
namespace {

constexpr std::uint32_t kind_one = 1, kind_set = 2; // image_kind

// The driver trusts the sizes in an image, and another worker of the domain may have written this one.
bool is_sound(std::span<std::byte const> code, std::uint32_t compute_capability) {
  if (code.empty()) return false;
  std::uint32_t magic = 0;
  std::memcpy(&magic, code.data(), std::min(code.size(), sizeof magic));
  std::uint32_t const kind = magic == image::image_set_magic ? kind_set : kind_one;
  return image::device_bytes(code, kind, compute_capability).has_value();
}

// What a call that failed wrote is not a module.
CUresult take(CUresult result, CUmodule made, CUmodule& module) {
  if (result != CUDA_SUCCESS) return result;
  module = made;
  return made == nullptr ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

} // namespace

CUresult Jit::load(CUmodule& module, void const* image) {
  CUmodule made = nullptr;
  CUresult const result = driver_.cuModuleLoadDataEx(&made, image, static_cast<unsigned>(options_.size()),
                                                     options_.data(), values_.data());
  return take(result, made, module);
}

// A failure to link is not the last word: what the driver says of the PTX alone is what the program would be told.
CUresult Jit::compile(CUmodule& module, std::string const& ptx, std::uint32_t compute_capability,
                      CodeCache& cache) {
  if (!cache.exists()) return load(module, ptx.c_str());
  int version = 0;
  (void)driver_.cuDriverGetVersion(&version);
  CodeCache::Source const source{std::as_bytes(std::span(ptx)), compute_capability, version};
  std::vector<std::byte> code = cache.find(source).value_or(std::vector<std::byte>{});
  if (is_sound(code, compute_capability) && load(module, code.data()) == CUDA_SUCCESS) return CUDA_SUCCESS;
  std::vector<std::string> units{ptx};
  if (link(module, units, code) != CUDA_SUCCESS) return load(module, ptx.c_str());
  cache.add(source, code);
  return CUDA_SUCCESS;
}

CUresult Jit::link(CUmodule& module, std::vector<std::string>& units, std::vector<std::byte>& code) {
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
  if (result == CUDA_SUCCESS && cubin == nullptr) result = CUDA_ERROR_UNKNOWN;
  if (result == CUDA_SUCCESS) {
    auto const* const begin = static_cast<std::byte const*>(cubin);
    code.assign(begin, begin + bytes);
  }
  CUmodule made = nullptr;
  if (result == CUDA_SUCCESS) result = driver_.cuModuleLoadDataEx(&made, cubin, 0, nullptr, nullptr);
  if (result == CUDA_SUCCESS) result = take(result, made, module);
  driver_.cuLinkDestroy(state); // also frees the cubin
  return result;
}

} // namespace pegasus::cuda
