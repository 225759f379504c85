// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/module.h"

#include "domA/device/cuda/jit.h"
#include "domA/device/image/image.h"
#include "domA/device/slicing/slice.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace pegasus::cuda {

CudaModule::~CudaModule() {
  for (device::Address const variable : variables_)
    home_.ranges.remove(variable, memory::Owner::task);
  functions_.clear();
  home_.driver.cuModuleUnload(module_);
  home_.memory.unpin(charged_);
  home_.memory.give_back();
}

device::Function* CudaModule::function(std::string_view name) {
  if (auto const found = functions_.find(name); found != functions_.end()) return found->second.get();
  std::string wanted(name);
  CUfunction handle = nullptr;
  if (home_.driver.cuModuleGetFunction(&handle, module_, wanted.c_str()) != CUDA_SUCCESS) return nullptr;
  auto function = CudaFunction::make(*this, wanted, handle);
  return functions_.emplace(std::move(wanted), std::move(function)).first->second.get();
}

device::Range CudaModule::global(std::string_view name) {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  if (home_.driver.cuModuleGetGlobal(&address, &bytes, module_, std::string(name).c_str()) != CUDA_SUCCESS)
    return {};
  if (home_.ranges.add({address, bytes}, memory::Owner::task, 0)) variables_.push_back(address);
  return {address, bytes};
}

bool CudaModule::slice(std::string const& kernel, SlicedKernel& sliced) {
  auto const units = image::ptx_of_image(image_, image_kind_, home_.facts.compute_capability);
  if (!units) return false;
  auto const address = [this](std::string_view variable) -> std::optional<std::uint64_t> {
    device::Range const range = global(variable);
    return range.bytes == 0 ? std::nullopt : std::optional(range.base);
  };
  std::string reason;
  for (std::string const& unit : *units) {
    auto const rewritten = slicing::slice(unit, kernel, address);
    if (!rewritten) {
      reason = rewritten.error();
      continue;
    }
    Jit jit(home_.driver);
    CUresult result =
        jit.compile(sliced.module, rewritten->text, home_.facts.compute_capability, home_.cache);
    if (result == CUDA_SUCCESS)
      result = home_.driver.cuModuleGetFunction(&sliced.function, sliced.module, kernel.c_str());
    if (result != CUDA_SUCCESS) {
      sliced.function = nullptr;
      home_.state.note(
          fmt::format("kernel {} is not split: {} {}", kernel, home_.driver.name_of(result), jit.log()));
      return false;
    }
    sliced.parameter_offset = rewritten->parameter_offset;
    return true;
  }
  home_.state.note(fmt::format("kernel {} is not split: {}", kernel, reason));
  return false;
}

} // namespace pegasus::cuda
