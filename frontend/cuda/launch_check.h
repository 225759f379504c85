// SPDX-License-Identifier: Apache-2.0
// Is a launch within the limits of the device and of the kernel? And what becomes of it on the wire.
#pragma once

#include "frontend/cuda/function.h"

#include <span>

namespace pegasus::driver {

struct LaunchShape {
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic_shared;
};

CUresult check_shape(Channel const& channel, Function const& function, LaunchShape const& shape);

// Everything that CUDA refuses at once, the parameters aside: `handle` is a CUfunction or CUkernel.
CUresult check_launch(Channel& channel, Context const& where, void const* handle, LaunchShape const& shape,
                      bool cooperative, Function*& function);

// From one pointer per parameter, or from the buffer that `extra` names, into one packed buffer.
CUresult gather(Function const& function, void* const* parameters, void* const* extra,
                std::span<std::byte> packed);

pegasus_launch_request launch_request(Function const& function, LaunchShape const& shape,
                                      std::uint64_t stream, bool cooperative);

} // namespace pegasus::driver
