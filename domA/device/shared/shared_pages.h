// SPDX-License-Identifier: Apache-2.0
// The memory that pegasusd and the workers of one accelerator share, for any kind of accelerator. Each worker has a
// slot, and one page that belongs to it: only the worker in that slot writes it, and pegasusd when that worker is
// dead. All others only read it. What pegasusd says of the slots is on pages that only pegasusd writes
// (EngineAccess in engine.h, QuotaLimits in quota.h).
//
// A hostile worker can thus lie about itself only. All zero bytes: an empty slot.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace pegasus::shared {

inline constexpr std::uint32_t slot_count = 1024; // workers (guest tasks) on one accelerator

// Device memory that the worker claims (quota.h).
struct QuotaClaim {
  std::atomic<std::uint64_t> bytes;
};

// The worker's place in the line for the engine (engine.h).
struct alignas(64) EnginePlace {
  // When it came, by device_now(); 0: it is not in the line; taking_ticket: it is about to write its time here.
  std::atomic<std::uint64_t> ticket;
  std::atomic<std::uint64_t> released_ns;  // end of its last hold; 0: it has not held the engine
  std::atomic<std::uint64_t> switches;     // changes of the engine's owner to it
  std::atomic<std::uint64_t> switching_ns; // ... and what they took
  std::atomic<std::uint32_t> left;         // futex word: incremented each time that it leaves the line
  std::atomic<std::uint32_t> sleeps;       // 1: until the one before it leaves the line
};

struct alignas(4096) SlotPage {
  QuotaClaim claim;
  EnginePlace place;
};
using SlotPages = std::array<SlotPage, slot_count>;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<SlotPage> && std::is_trivially_destructible_v<SlotPage>);
static_assert(sizeof(SlotPages) == 4096 * slot_count);

// One bit a slot.
struct SlotBits {
  std::array<std::atomic<std::uint64_t>, slot_count / 64> words;

  [[nodiscard]] bool has(std::uint32_t slot) const { return (words[slot / 64].load() >> slot % 64 & 1) != 0; }
  void add(std::uint32_t slot) { words[slot / 64].fetch_or(std::uint64_t{1} << slot % 64); }
  void remove(std::uint32_t slot) { words[slot / 64].fetch_and(~(std::uint64_t{1} << slot % 64)); }
};

// Calls condition(slot) for the slots whose bit is set, in their order, until it returns true. Returns whether it did.
template <class Condition> bool find_slot(SlotBits const& bits, Condition condition) {
  for (std::uint32_t part = 0; part < bits.words.size(); ++part)
    for (std::uint64_t left = bits.words[part].load(); left != 0; left &= left - 1)
      if (condition(part * 64 + static_cast<std::uint32_t>(std::countr_zero(left)))) return true;
  return false;
}

template <class Body> void for_each_slot(SlotBits const& bits, Body body) {
  (void)find_slot(bits, [&](std::uint32_t slot) {
    body(slot);
    return false;
  });
}

} // namespace pegasus::shared
