// SPDX-License-Identifier: Apache-2.0
// A launch as the driver wants it: CUlaunchConfig with the attributes that it points to.
#pragma once

#include "domA/device/cuda/driver.h"

#include <array>

namespace pegasus::cuda {

class LaunchConfig {
public:
  LaunchConfig(device::Launch const& launch, device::Dim3 const& grid, CUstream stream);
  LaunchConfig(LaunchConfig const&) = delete;
  LaunchConfig& operator=(LaunchConfig const&) = delete;

  [[nodiscard]] CUlaunchConfig const* get() const { return &config_; }

private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);

  CUlaunchConfig config_{};
  std::array<CUlaunchAttribute, 9> attributes_{}; // one of each kind
};

} // namespace pegasus::cuda
