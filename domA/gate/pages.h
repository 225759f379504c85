// SPDX-License-Identifier: Apache-2.0
// The two words of shared memory between pegasusd and one worker: the gate one way, usage totals the other.
// Scheduling costs no message.
//
// Closing a gate (a Dekker pair, so that no call slips through unseen):
//   pegasusd: word = closed (seq_cst); then reads `activity`: anything but `running` means the worker will
//   look at
//             the word again before it touches the device: drained. If `running`, it waits for `obeyed ==
//             word`.
//   worker:   activity = running (seq_cst); then reads the word before every call; when it finds it changed
//   to
//             closed it is between calls: stores `obeyed = word`, rings pegasusd and waits.
//
// An open gate is a lease, which pegasusd renews while it schedules. A worker that finds it run out takes the
// gate for closed, and obeys an open word: pegasusd, when it is back, sees that and opens the gate anew.
#pragma once

#include <atomic>
#include <cstdint>

namespace pegasus::gate {

inline constexpr std::uint32_t word_open = 1;  // calls may be executed
inline constexpr std::uint32_t word_wake = 2;  // and the guest, if it sleeps, is to be woken before the first
inline constexpr std::uint32_t word_epoch = 4; // counts up with every change, so that a wait never misses one

// Written by pegasusd; the worker maps it read-only and sleeps on it (futex).
struct GatePage {
  std::atomic<std::uint32_t> word;
  // 1: while it is open no other gate of the accelerator is, and whoever had one has said that it left.
  std::atomic<std::uint32_t> alone;
  // When the turn ends, by CLOCK_MONOTONIC, if nothing ends it sooner; 0: nobody waits for its end.
  std::atomic<std::uint64_t> ends_at_ns;
  // When the lease on an open gate runs out, by CLOCK_MONOTONIC; 0: never.
  std::atomic<std::uint64_t> lease_until_ns;
};

enum class Activity : std::uint32_t {
  idle = 0,    // nothing to do: sleeps on its ring
  waiting = 1, // a call is pending, the gate is closed: sleeps on the gate
  running = 2, // executes calls, or polls for the next one
};

inline constexpr std::size_t latency_buckets = 128; // as PEGASUS_LATENCY_BUCKETS

// Written by the worker; pegasusd copies it once per look and believes nothing it cannot bound.
struct UsagePage {
  std::atomic<Activity> activity;
  std::atomic<std::uint32_t> obeyed;           // the last gate word acted upon
  std::atomic<std::uint32_t> last_vcpu;        // guest CPU of the last request: a hint
  std::atomic<std::uint32_t> requests_waiting; // when it stopped last; 0: it is not waiting
  std::atomic<std::uint64_t> device_busy_ns;   // of work that is done
  // When the work that the device executes now began, or that of a queue which has not been empty since, by
  // CLOCK_MONOTONIC; 0: none. Set behind, and cleared before, the total that it becomes part of.
  std::atomic<std::uint64_t> executing_since_ns;
  std::atomic<std::uint64_t> host_busy_ns; // CPU time of the worker for copies, images and output
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> sync_calls;
  std::atomic<std::uint64_t> bytes;                           // of bulk data, both ways
  std::atomic<std::uint64_t> memory_bytes;                    // device memory held
  std::atomic<std::uint32_t> latency_bucket[latency_buckets]; // the guest's own, passed on
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(UsagePage) <= 4096);

} // namespace pegasus::gate
