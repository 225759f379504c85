// SPDX-License-Identifier: Apache-2.0
// The guest's own counters in the channel's header: calls, and the latency of synchronous ones.
#pragma once

#include "frontend/protocol/channel.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace pegasus::frontend {

class CallStatistics {
public:
  explicit CallStatistics(pegasus_guest_statistics& counters) : counters_(counters) {}

  // One thread at a time.
  void count_call(bool expects_reply) {
    std::uint32_t& count = expects_reply ? counters_.sync_calls : counters_.posted_calls;
    std::atomic_ref(count).store(count + 1, std::memory_order_relaxed);
  }
  // Any thread.
  void count_latency(std::uint64_t nanoseconds) {
    std::atomic_ref(counters_.latency_bucket[bucket_of(nanoseconds)]).fetch_add(1, std::memory_order_relaxed);
  }

private:
  // As defined in frontend/protocol/channel.h: four per octave.
  static unsigned bucket_of(std::uint64_t ns) {
    if (ns < 4) return static_cast<unsigned>(ns);
    unsigned const octave = static_cast<unsigned>(std::bit_width(ns)) - 1;
    unsigned const bucket = octave * 4 + static_cast<unsigned>(ns >> (octave - 2) & 3);
    return std::min(bucket, PEGASUS_LATENCY_BUCKETS - 1);
  }

  pegasus_guest_statistics& counters_;
};

} // namespace pegasus::frontend
