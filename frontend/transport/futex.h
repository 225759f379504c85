// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word of memory, within a process or between processes of one machine.
#pragma once

#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::frontend {

inline void futex_wake(void* word) { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

inline void futex_wait(void* word, std::uint32_t value, std::uint64_t timeout_ns) {
  timespec const timeout{static_cast<time_t>(timeout_ns / 1'000'000'000u),
                         static_cast<long>(timeout_ns % 1'000'000'000u)};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}

} // namespace pegasus::frontend
