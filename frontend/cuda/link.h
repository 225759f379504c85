// SPDX-License-Identifier: Apache-2.0
// A link in progress: PTX, cubins and fatbins collected into one image set. The worker links when it
// loads the set.
#pragma once

#include "frontend/cuda/handles.h"
#include "frontend/cuda/jit_options.h"

#include <memory>
#include <mutex>
#include <vector>

namespace pegasus::driver {

struct Link {
  using Handle = CUlinkState;
  static constexpr Kind kind = Kind::link;

  CUlinkState handle = nullptr;
  JitOptions options; // from creation: the program owns the log buffers
  std::mutex mutex;   // guards the rest
  std::vector<std::vector<std::byte>> parts;
  std::size_t bytes = 0;
  std::vector<std::byte> complete; // the result of cuLinkComplete; lives as long as the link
};

} // namespace pegasus::driver
