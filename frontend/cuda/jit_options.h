// SPDX-License-Identifier: Apache-2.0
// The options of cuModuleLoadDataEx, cuLibraryLoadData and cuLink*. Options that tune the
// compilation are ignored; the log buffers are filled. Option values are pointers or numbers cast to
// pointers (cuda.h, CUjit_option).
#pragma once

#include "frontend/cuda/cuda_api.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::driver {

struct JitLog {
  char* buffer = nullptr;
  std::size_t bytes = 0;    // capacity, from the size option
  void** written = nullptr; // the size option's value: receives the number of bytes written
};

class JitOptions {
public:
  JitOptions() = default;
  JitOptions(unsigned count, CUjit_option const* options, void** values);

  // Fills the logs; `action` names what failed ("load this image").
  void report(CUresult outcome, char const* action);

  bool valid = true;

private:
  JitLog info_;
  JitLog error_;
  void** wall_time_ = nullptr;
  std::uint64_t start_ns_ = 0;
};

} // namespace pegasus::driver
