// SPDX-License-Identifier: Apache-2.0
// The options of cuModuleLoadDataEx, cuLibraryLoadData and cuLink*. What tunes the compilation is ignored;
// the log buffers are filled. Option values are pointers or numbers disguised as pointers (cuda.h,
// CUjit_option).
#pragma once

#include "frontend/cuda/cuda_api.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::driver {

struct JitLog {
  char* buffer = nullptr;
  std::size_t bytes = 0;    // room, from the size option
  void** written = nullptr; // the size option's value: the bytes written come back in it
};

class JitOptions {
public:
  JitOptions() = default;
  JitOptions(unsigned count, CUjit_option const* options, void** values);

  // Fills the logs; failure says what was refused ("load this image").
  void report(CUresult outcome, char const* action);

  bool valid = true;

private:
  JitLog info_;
  JitLog error_;
  void** wall_time_ = nullptr;
  std::uint64_t start_ns_ = 0;
};

} // namespace pegasus::driver
