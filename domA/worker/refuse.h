// SPDX-License-Identifier: Apache-2.0
// Ends a worker that cannot be sandboxed: it has not read anything from its guest yet.
#pragma once

#include "domA/worker/start.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pegasus::worker {

[[noreturn]] inline void refuse(char const* what, int error) {
  std::fprintf(stderr, "pegasus-avcpu: cannot enter the sandbox: %s: %s\n", what, std::strerror(error));
  std::_Exit(Exit::not_started);
}

} // namespace pegasus::worker
