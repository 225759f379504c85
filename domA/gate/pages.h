// SPDX-License-Identifier: Apache-2.0
// The two pages of shared memory between pegasusd and one worker: the gate one way, usage totals the other.
// Scheduling costs no message.
//
// Closing a gate (a Dekker pair: no call slips through unseen):
//   * pegasusd stores word = closed (seq_cst), then reads `activity`. Anything but `running` means that the
//     worker will look at the word again before it touches the device: the gate is drained. If `running`,
//     pegasusd waits for `obeyed == word`.
//   * The worker stores activity = running (seq_cst), then reads the word before every call. When it finds
//     the word changed to closed, it is between calls: it stores `obeyed = word`, rings pegasusd and waits.
//
// An open gate is a lease, which pegasusd renews while it schedules. A worker that finds the lease
// expired treats the gate as closed, and obeys an open word. When pegasusd runs again, it sees that
// and opens the gate again.
#pragma once

#include <atomic>
#include <cstdint>

namespace pegasus::gate {

inline constexpr std::uint32_t word_open = 1;  // calls may be executed
inline constexpr std::uint32_t word_wake = 2;  // and the guest, if it sleeps, is woken before the first call
inline constexpr std::uint32_t word_epoch = 4; // incremented with each change, so a wait never misses one

// Written by pegasusd; the worker maps it read-only and sleeps on it (futex).
struct GatePage {
  std::atomic<std::uint32_t> word;
  // 1: the guest is to poll for its replies, with the gate open or closed (policies::Entry::guests_poll).
  std::atomic<std::uint32_t> guest_polls;
  // 1: a call begins when the device has done all that came before it (policies::Entry::engaged).
  std::atomic<std::uint32_t> engaged;
  // When the time slice ends, by CLOCK_MONOTONIC, if nothing ends it sooner; 0: no other domain waits
  // for its end.
  std::atomic<std::uint64_t> ends_at_ns;
  // How long the work on the device may take from that time on, by CLOCK_MONOTONIC, as far as it can be divided; what
  // is submitted sooner ends by the sum of the two. 0: as long as it likes. A call of another domain is expected
  // (policies::Decision::pieces).
  std::atomic<std::uint64_t> pieces_from_ns;
  std::atomic<std::uint64_t> longest_piece_ns;
  // When the lease on an open gate expires, by CLOCK_MONOTONIC; 0: never.
  std::atomic<std::uint64_t> lease_until_ns;
  // What the worker is to do while its gate is closed (orders.h): the sequence of the last order, 0: none yet.
  std::atomic<std::uint32_t> order;
  std::atomic<std::uint32_t> order_kind;
  std::atomic<std::uint64_t> order_amount;
};

enum class Activity : std::uint32_t {
  idle = 0,    // nothing to do: sleeps on its ring
  waiting = 1, // a call is pending: sleeps on the closed gate, or in the line for the engine
  running = 2, // executes calls, or polls for the next one
  on_host =
      3, // executes a call that needs no device, and all its work on the device is done: the gate is given back
};
// With an open gate it uses the device, with a closed one it waits for it.
constexpr bool wants_device(Activity activity) {
  return activity == Activity::waiting || activity == Activity::running;
}

inline constexpr std::size_t latency_buckets = 128; // as PEGASUS_LATENCY_BUCKETS

// Written by the worker. pegasusd copies it once per look and trusts nothing that it cannot bound.
struct UsagePage {
  std::atomic<Activity> activity;
  std::atomic<std::uint32_t> obeyed;           // the last gate word acted upon
  std::atomic<std::uint32_t> last_vcpu;        // guest CPU of the last request: a hint
  std::atomic<std::uint32_t> requests_waiting; // when it last stopped; 0: it is not waiting
  std::atomic<std::uint64_t> device_busy_ns;   // of finished work
  // When the work that the device is executing began, or the work of a queue that has not been empty since,
  // by CLOCK_MONOTONIC; 0: none. Set after, and cleared before, the total that the work becomes part of.
  std::atomic<std::uint64_t> executing_since_ns;
  // CPU time of the worker's first thread for copies, images and output; and what that thread had used of a CPU when
  // it began a call that may compute for long, 0: no such call. Cleared before the total that the call becomes part of.
  std::atomic<std::uint64_t> host_busy_ns;
  std::atomic<std::uint64_t> host_call_began_ns;
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> sync_calls;
  std::atomic<std::uint64_t> bytes;        // of bulk data, both ways
  std::atomic<std::uint64_t> memory_bytes; // device memory held
  std::atomic<std::uint32_t> pageable;     // 1: the call buffer could not be pinned, so copies take a detour
  std::atomic<std::uint32_t> latency_bucket[latency_buckets]; // the guest's own counters, passed on
  std::atomic<std::uint32_t> answered; // the sequence of the last order that was obeyed
  std::atomic<std::uint32_t> answer_status;
  std::atomic<std::uint64_t> answer_amount;
};

// Where a worker writes what is too long for its page: another file, which only it writes and pegasusd copies.
// One page: reading what a worker never wrote makes pegasusd pay for it.
inline constexpr std::size_t report_bytes = 4096;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(UsagePage) <= 4096);

} // namespace pegasus::gate
