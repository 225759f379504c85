// SPDX-License-Identifier: Apache-2.0
// Latency of synchronous calls as the guests see it, merged from the counters in their call buffers. A guest
// may write anything there: this is a hint for the operator and never used for accounting.
#pragma once

#include "policies/state_visitor.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasus::monitor {

// As in the call buffer (frontend/protocol/channel.h): bucket b counts the calls from 2^(b/4) * (1 + (b%4)/4)
// ns (with b/4 rounded down) up to the start of the next bucket. The last bucket also counts all longer
// calls. Each counter wraps.
inline constexpr std::size_t latency_buckets = 128;
using LatencyCounters = std::span<std::uint32_t const, latency_buckets>;

class LatencyHistogram {
public:
  // The counters of one source at the last merge.
  using Reading = std::array<std::uint32_t, latency_buckets>;

  // Adds what was counted since `last`, and updates `last`.
  void merge(Reading& last, LatencyCounters counters);
  // Adds a latency that we measured ourselves; below zero counts as zero.
  void add(std::chrono::nanoseconds latency);
  void add(LatencyHistogram const& other);

  [[nodiscard]] std::uint64_t count() const;
  // The latency below which the fraction `part` (0..1) of the calls stayed, in microseconds. It is
  // interpolated within a bucket, so it is accurate to a quarter. 0 if there were no calls.
  [[nodiscard]] double percentile_us(double part) const;
  // All latencies together, each taken as the middle of its bucket: accurate to an eighth.
  [[nodiscard]] double total_ns() const;
  [[nodiscard]] double p50_us() const { return percentile_us(0.50); }
  [[nodiscard]] double p99_us() const { return percentile_us(0.99); }

  // up to latency_buckets, the end of the last
  [[nodiscard]] static double bucket_start_ns(std::size_t bucket);

  void visit(policies::StateVisitor& state) { state.field("counts", counts_); }

private:
  std::array<std::uint64_t, latency_buckets> counts_{};
};

} // namespace pegasus::monitor
