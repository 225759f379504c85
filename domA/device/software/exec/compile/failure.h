// SPDX-License-Identifier: Apache-2.0
// Why a module or a kernel cannot be made executable. Linking and lowering report it; Program turns it into
// its own Failure.
#pragma once

#include "domA/device/device.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::software {

struct BuildError {
  device::Status status = device::Status::invalid_ptx;
  std::string message;
  // Of a function's code: the message without the function and the line, and that line.
  std::string reason = {};
  std::uint32_t line = 0;
};

} // namespace pegasus::software
