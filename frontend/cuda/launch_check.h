// SPDX-License-Identifier: Apache-2.0
// Is a launch within the limits of the device and of the kernel?
#pragma once

#include "frontend/cuda/function.h"

namespace pegasus::driver {

struct LaunchShape {
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic_shared;
};

CUresult check_shape(Channel const& channel, Function const& function, LaunchShape const& shape);

} // namespace pegasus::driver
