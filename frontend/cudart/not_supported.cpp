// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/error.h"

#include <atomic>

namespace pegasus::cudart {

int answer_not_supported(char const* name, std::atomic<bool>& said);
int answer_not_supported(char const* name, std::atomic<bool>& said) {
  if (!said.exchange(true, std::memory_order_relaxed)) say("%s is not supported by this accelerator", name);
  return static_cast<int>(finish(cudaErrorNotSupported));
}

} // namespace pegasus::cudart
