// SPDX-License-Identifier: Apache-2.0
// Loads images as modules: unchanged if the driver accepts them, otherwise linked from their PTX.
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

  // As for device::Context::load_module(). The error is in `log`, and is reported to the program.
  Status load(std::span<std::byte const> image, std::uint32_t image_kind,
              std::unique_ptr<device::Module>& module, std::string& log);

private:
  [[nodiscard]] Status give_to_driver(std::span<std::byte const> image, std::uint32_t image_kind,
                                      CUmodule& loaded, std::string& log);

  ModuleHome home_;
};

} // namespace pegasus::cuda
