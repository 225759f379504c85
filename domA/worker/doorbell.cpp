// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/doorbell.h"

#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::worker {

void FutexDoorbell::ring(std::uint32_t& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void FutexDoorbell::wait(std::uint32_t& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

} // namespace pegasus::worker
