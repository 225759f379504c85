// SPDX-License-Identifier: Apache-2.0
// Checks a launch against the limits of the device and of the kernel, and packs its parameters.
#pragma once

#include "frontend/cuda/function.h"

#include <span>

namespace pegasus::driver {

struct LaunchShape {
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic_shared;
  pegasus_launch_attributes attributes{}; // launch_attributes.h
};

inline LaunchShape shape_of(CUlaunchConfig const& config) { // without its attributes
  return {.grid = {config.gridDimX, config.gridDimY, config.gridDimZ},
          .block = {config.blockDimX, config.blockDimY, config.blockDimZ},
          .dynamic_shared = config.sharedMemBytes};
}

CUresult check_shape(Channel const& channel, Function const& function, LaunchShape const& shape);

// Checks everything that CUDA refuses at once, except the parameters. `handle` is a CUfunction or CUkernel.
CUresult check_launch(Channel& channel, Context const& where, void const* handle, LaunchShape const& shape,
                      bool cooperative, Function*& function);

// Packs the parameters, from one pointer each or from the buffer that `extra` names, into one buffer.
CUresult gather(Function const& function, void* const* parameters, void* const* extra,
                std::span<std::byte> packed);

pegasus_launch_request launch_request(Function const& function, LaunchShape const& shape,
                                      std::uint64_t stream, bool cooperative);
// submit(request): with the request that the launch needs, with or without attributes.
template <class Submit>
CUresult with_request(pegasus_launch_request const& plain, LaunchShape const& shape, Submit submit) {
  if (shape.attributes.set == 0) return submit(plain);
  return submit(pegasus_launch_with_attributes_request{plain, shape.attributes});
}

} // namespace pegasus::driver
