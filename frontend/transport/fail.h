// SPDX-License-Identifier: Apache-2.0
// How a transport reports why it has no channel.
#pragma once

#include "frontend/transport/transport.h"

#include <cstdarg>
#include <cstdio>

namespace pegasus::frontend {

inline constexpr int no_device = 100;        // CUDA_ERROR_NO_DEVICE
inline constexpr int not_ready = 802;        // CUDA_ERROR_SYSTEM_NOT_READY
inline constexpr int version_mismatch = 803; // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH

[[gnu::format(printf, 3, 4)]] inline bool fail(TransportError& error, int status, char const* format, ...) {
  error.status = status;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error.message, sizeof error.message, format, arguments);
  va_end(arguments);
  return false;
}

} // namespace pegasus::frontend
