// SPDX-License-Identifier: Apache-2.0
// Tensor maps: the driver encodes them. The result depends on the arguments only.
#pragma once

#include "domA/device/cuda/driver.h"

namespace pegasus::cuda {

// CUDA_ERROR_NOT_SUPPORTED: this driver has no such function.
[[nodiscard]] CUresult encode(Driver const& driver, device::TensorMap const& map,
                              device::TensorMap::Descriptor& descriptor);

} // namespace pegasus::cuda
