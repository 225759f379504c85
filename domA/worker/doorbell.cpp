// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/doorbell.h"

#include "base/futex.h"

namespace pegasus::worker {

void FutexDoorbell::ring(std::uint32_t& word) { base::futex_wake(word); }

void FutexDoorbell::wait(std::uint32_t& word, std::uint32_t value) { base::futex_wait(word, value); }

} // namespace pegasus::worker
