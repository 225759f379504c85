// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word of memory, and waking its sleepers: futex(2). Several processes may map the word,
// hence not FUTEX_PRIVATE.
#pragma once

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::base {

// std::uint32_t, or an atomic of it.
template <class Word>
concept FutexWord = sizeof(Word) == sizeof(std::uint32_t) && alignof(Word) == alignof(std::uint32_t);

enum class FutexWait { woken, timed_out };

// Sleeps while `word` holds `expected`, until a wake-up or a signal. Callers check their condition again
// in any case.
template <FutexWord Word> void futex_wait(Word const& word, std::uint32_t expected) {
  (void)syscall(SYS_futex, &word, FUTEX_WAIT, expected, nullptr, nullptr, 0);
}

// The same, for `limit` at most.
template <FutexWord Word>
FutexWait futex_wait(Word const& word, std::uint32_t expected, std::chrono::nanoseconds limit) {
  constexpr std::int64_t second = 1'000'000'000;
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(limit.count() / second);
  timeout.tv_nsec = static_cast<long>(limit.count() % second);
  long const result = syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
  return result == -1 && errno == ETIMEDOUT ? FutexWait::timed_out : FutexWait::woken;
}

// Wakes at most `sleepers` of those that sleep on `word`.
template <FutexWord Word> void futex_wake(Word const& word, int sleepers = INT_MAX) {
  (void)syscall(SYS_futex, &word, FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
}

} // namespace pegasus::base
