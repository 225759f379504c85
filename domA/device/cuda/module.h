// SPDX-License-Identifier: Apache-2.0
// A loaded module on a GPU.
#pragma once

#include "domA/device/cuda/code_cache.h"
#include "domA/device/cuda/device_facts.h"
#include "domA/device/cuda/function.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/memory/task_memory.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::cuda {

// What modules and functions need from the context that they belong to.
struct ModuleHome {
  Driver const& driver;
  DeviceFacts const& facts;
  memory::Ranges& ranges;
  memory::TaskMemory& memory;
  TaskState& state;
  CodeCache cache{}; // of the domain's compiled PTX
};

class CudaModule final : public device::Module {
public:
  // `charged`: the device memory that the context is charged for the module.
  CudaModule(ModuleHome const& home, CUmodule module, std::vector<std::byte> image, std::uint32_t image_kind,
             std::uint64_t charged)
      : home_(home), module_(module), image_(std::move(image)), image_kind_(image_kind), charged_(charged) {}
  ~CudaModule() override;
  CudaModule(CudaModule const&) = delete;
  CudaModule& operator=(CudaModule const&) = delete;

  [[nodiscard]] device::Function* function(std::string_view name) override;
  [[nodiscard]] device::Range global(std::string_view name) override;

  [[nodiscard]] ModuleHome const& home() const { return home_; }
  // Returns false if there is no PTX for it, or if the kernel cannot be split; the reason goes to the log.
  [[nodiscard]] bool slice(std::string const& kernel, SlicedKernel& sliced);

private:
  ModuleHome home_;
  CUmodule module_;
  std::vector<std::byte> image_;
  std::uint32_t image_kind_;
  std::uint64_t charged_;
  std::map<std::string, std::unique_ptr<CudaFunction>, std::less<>> functions_;
  std::vector<device::Address> variables_; // that were looked up
};

} // namespace pegasus::cuda
