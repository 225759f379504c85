// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/jit_options.h"

#include "base/clock.h"
#include "frontend/cuda/errors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pegasus::driver {
namespace {

void set_bytes(JitLog& log, void** value) {
  log.bytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*value)); // an unsigned int in a void*
  log.written = value;
}

void write(JitLog const& log, char const* text) {
  std::size_t written = 0;
  if (log.buffer != nullptr && log.bytes > 0) {
    written = std::min(std::strlen(text), log.bytes - 1);
    std::memcpy(log.buffer, text, written);
    log.buffer[written] = '\0';
  }
  if (log.written != nullptr) *log.written = reinterpret_cast<void*>(written);
}

} // namespace

JitOptions::JitOptions(unsigned count, CUjit_option const* options, void** values)
    : start_ns_(base::monotonic_ns()) {
  valid = count == 0 || (options != nullptr && values != nullptr);
  for (unsigned i = 0; valid && i < count; ++i) {
    switch (options[i]) {
    case CU_JIT_INFO_LOG_BUFFER:
      info_.buffer = static_cast<char*>(values[i]);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      set_bytes(info_, &values[i]);
      break;
    case CU_JIT_ERROR_LOG_BUFFER:
      error_.buffer = static_cast<char*>(values[i]);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      set_bytes(error_, &values[i]);
      break;
    case CU_JIT_WALL_TIME:
      wall_time_ = &values[i];
      break;
    default:
      valid = options[i] >= 0 && options[i] < CU_JIT_NUM_OPTIONS;
    }
  }
}

void JitOptions::report(CUresult outcome, char const* action) {
  write(info_, "");
  char text[256] = "";
  ErrorText const* const error = outcome == CUDA_SUCCESS ? nullptr : error_text(outcome);
  if (outcome != CUDA_SUCCESS)
    std::snprintf(text, sizeof text,
                  "the accelerator did not %s: %s (%s); the program's stderr has the details", action,
                  error == nullptr ? "unknown error" : error->text, error == nullptr ? "?" : error->name);
  write(error_, text);
  if (wall_time_ != nullptr) { // a float in the lower half of a void*
    float const milliseconds = static_cast<float>(base::monotonic_ns() - start_ns_) / 1e6f;
    std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
  }
}

} // namespace pegasus::driver
