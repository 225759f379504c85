// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domA/device/device.h"

#include <string>

namespace pegasus::image {

struct Failure {
  device::Status status = device::Status::invalid_image; // or no_binary_for_gpu
  std::string message; // for the program's user: what is wrong, and what to do
};

} // namespace pegasus::image
