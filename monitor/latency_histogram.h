// SPDX-License-Identifier: Apache-2.0
// Latency of synchronous calls as the guests see it, merged from the counters in their call buffers. A guest
// writes what it likes there: a hint for the operator, never used for accounting.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasus::monitor {

// As in the call buffer (frontend/protocol/channel.h): bucket b counts the calls from 2^(b/4) * (1 + (b%4)/4)
// ns (with b/4 rounded down) up to the next bucket's; the last one also all longer ones. Each counter wraps.
inline constexpr std::size_t latency_buckets = 128;
using LatencyCounters = std::span<const std::uint32_t, latency_buckets>;

class LatencyHistogram {
public:
  // The counters of one source as they were merged last.
  using Reading = std::array<std::uint32_t, latency_buckets>;

  // Adds what was counted since `last`, and brings `last` up to date.
  void merge(Reading& last, LatencyCounters counters);
  // One more, which we measured ourselves; below zero: zero.
  void add(std::chrono::nanoseconds latency);

  [[nodiscard]] std::uint64_t count() const;
  // The latency that a part of the calls, 0..1, stayed below, in microseconds; interpolated within a bucket,
  // so right to within a quarter. 0: there were no calls.
  [[nodiscard]] double percentile_us(double part) const;
  [[nodiscard]] double p50_us() const { return percentile_us(0.50); }
  [[nodiscard]] double p99_us() const { return percentile_us(0.99); }

  [[nodiscard]] static double
  bucket_start_ns(std::size_t bucket); // up to latency_buckets, the end of the last

private:
  std::array<std::uint64_t, latency_buckets> counts_{};
};

} // namespace pegasus::monitor
