// SPDX-License-Identifier: Apache-2.0
// Two futex operations on a word that several processes map (futex(2)); hence not FUTEX_PRIVATE.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::shared {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

enum class FutexWait { woken, timed_out };

// Sleeps while `word` holds `expected`, until a wake-up, a signal, or `limit`. Callers check their condition
// again in any case.
inline FutexWait futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                            std::chrono::nanoseconds limit) {
  constexpr std::int64_t second = 1'000'000'000;
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(limit.count() / second);
  timeout.tv_nsec = static_cast<long>(limit.count() % second);
  long const result = syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
  return result == -1 && errno == ETIMEDOUT ? FutexWait::timed_out : FutexWait::woken;
}

inline void futex_wake_one(std::atomic<std::uint32_t>& word) {
  (void)syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); // 0 or 1 woken; both are fine
}

} // namespace pegasus::shared
