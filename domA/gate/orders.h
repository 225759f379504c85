// SPDX-License-Identifier: Apache-2.0
// What pegasusd asks a worker to do with its task while the task does not have the device: one order at a time,
// in the two pages. The gate is closed, and stays closed until the worker has answered.
//
//   * pegasusd writes the order, then its sequence (release), then changes the closed gate word: a worker that
//     waits for the gate wakes up, and one that sleeps on its ring gets a signal
//     (base/order_signal.h).
//   * The worker sees another sequence than that of its last answer, obeys, writes the answer, then that sequence
//     (release), and rings.
//
// The first order, `nothing`, is there before the worker starts: its answer says that the worker has started. Until then
// it gets no other.
//
// The answer is the worker's claim: pegasusd takes its sequence for equal or not, and bounds what it says.
#pragma once

#include "domA/gate/pages.h"

#include <optional>

namespace pegasus::gate {

enum class OrderKind : std::uint32_t {
  // Answers: amount as it came.
  nothing = 0,
  // Writes what the task holds into the report. Answers: its bytes.
  describe = 1,
  // Device memory goes to host memory, and the gate stays closed until `restore` is done. The amount is the most bytes
  // that it can be; answers: how many it was.
  evict = 2,
  // It comes back; amounts as for evict.
  restore = 3,
};

struct Order {
  OrderKind kind = OrderKind::nothing;
  std::uint64_t amount = 0;
  bool operator==(Order const&) const = default;
};

enum class OrderStatus : std::uint32_t {
  done = 0,
  unknown = 1, // the worker knows no such order: it is of another release
  failed = 2,  // of evict and restore: nothing, or not all, was done; amount: why, as a CUresult
};

struct Answer {
  OrderStatus status = OrderStatus::done;
  std::uint64_t amount = 0;
  bool operator==(Answer const&) const = default;
};

// pegasusd's side.
inline void post(GatePage& gate, Order const& order) {
  gate.order_kind.store(static_cast<std::uint32_t>(order.kind), std::memory_order_relaxed);
  gate.order_amount.store(order.amount, std::memory_order_relaxed);
  gate.order.store(gate.order.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// To the order that was posted last; nullopt: there is none yet.
[[nodiscard]] inline std::optional<Answer> answer_to_last(GatePage const& gate, UsagePage const& usage) {
  if (usage.answered.load(std::memory_order_acquire) != gate.order.load(std::memory_order_relaxed))
    return std::nullopt;
  auto const status = usage.answer_status.load(std::memory_order_relaxed);
  return Answer{.status = status <= static_cast<std::uint32_t>(OrderStatus::failed)
                              ? static_cast<OrderStatus>(status)
                              : OrderStatus::failed,
                .amount = usage.answer_amount.load(std::memory_order_relaxed)};
}

// The worker's side: obeys the order that waits, if there is one. `obey(order)` returns the answer. Returns true if it
// answered.
template <class Obey> bool obey_order(GatePage const& gate, UsagePage& usage, Obey obey) {
  std::uint32_t const sequence = gate.order.load(std::memory_order_acquire);
  if (sequence == usage.answered.load(std::memory_order_relaxed)) return false;
  Answer const answer =
      obey(Order{.kind = static_cast<OrderKind>(gate.order_kind.load(std::memory_order_relaxed)),
                 .amount = gate.order_amount.load(std::memory_order_relaxed)});
  usage.answer_status.store(static_cast<std::uint32_t>(answer.status), std::memory_order_relaxed);
  usage.answer_amount.store(answer.amount, std::memory_order_relaxed);
  usage.answered.store(sequence, std::memory_order_release);
  return true;
}

} // namespace pegasus::gate
