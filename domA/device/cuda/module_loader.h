// SPDX-License-Identifier: Apache-2.0
// Images to modules: as they came when the driver takes them, linked from their PTX when it does not.
#pragma once

#include "domA/device/cuda/module.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pegasus::cuda {

class ModuleLoader {
public:
  using Status = device::Status;

  explicit ModuleLoader(ModuleHome const& home) : home_(home) {}

  // As device::Context::load_module(). What went wrong is in `log`, and told to the program.
  Status load(std::span<const std::byte> image, std::uint32_t image_kind,
              std::unique_ptr<device::Module>& module, std::string& log);

private:
  [[nodiscard]] Status give_to_driver(std::span<const std::byte> image, std::uint32_t image_kind,
                                      CUmodule& loaded, std::string& log);

  ModuleHome home_;
};

} // namespace pegasus::cuda
