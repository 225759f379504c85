// SPDX-License-Identifier: Apache-2.0
#include "monitor/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pegasus::monitor {

void LatencyHistogram::merge(Reading& last, LatencyCounters counters) {
  for (std::size_t b = 0; b < latency_buckets; ++b) {
    std::uint32_t const counter = counters[b];
    std::uint32_t const growth = counter - last[b]; // modulo 2^32: correct across a wrap
    last[b] = counter;
    // At most 2^57 in each of 128 buckets: the sum fits in a u64.
    counts_[b] = std::min(counts_[b] + growth, std::uint64_t{1} << 57U);
  }
}

void LatencyHistogram::add(std::chrono::nanoseconds latency) {
  auto const ns = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.count(), 1));
  auto const exponent = static_cast<unsigned>(std::bit_width(ns)) - 1;
  std::uint64_t const quarters = exponent >= 2 ? ns >> (exponent - 2) : ns << (2 - exponent); // 4 to 7
  ++counts_[std::min<std::size_t>(4 * exponent + quarters - 4, latency_buckets - 1)];
}

void LatencyHistogram::add(LatencyHistogram const& other) {
  for (std::size_t b = 0; b < latency_buckets; ++b)
    counts_[b] += other.counts_[b];
}

std::uint64_t LatencyHistogram::count() const {
  std::uint64_t sum = 0;
  for (std::uint64_t const bucket : counts_)
    sum += std::min(bucket, std::numeric_limits<std::uint64_t>::max() - sum);
  return sum;
}

double LatencyHistogram::bucket_start_ns(std::size_t bucket) {
  return std::exp2(static_cast<double>(bucket / 4)) * (1 + static_cast<double>(bucket % 4) / 4);
}

double LatencyHistogram::total_ns() const {
  double sum = 0;
  for (std::size_t b = 0; b < latency_buckets; ++b)
    sum += static_cast<double>(counts_[b]) * (bucket_start_ns(b) + bucket_start_ns(b + 1)) / 2;
  return sum;
}

double LatencyHistogram::percentile_us(double part) const {
  double const wanted = std::clamp(part, 0.0, 1.0) * static_cast<double>(count());
  double below = 0;
  double last_end = 0;
  for (std::size_t b = 0; b < latency_buckets; ++b) {
    if (counts_[b] == 0) continue;
    auto const here = static_cast<double>(counts_[b]);
    double const start = bucket_start_ns(b);
    last_end = bucket_start_ns(b + 1);
    if (below + here >= wanted) return (start + (last_end - start) * (wanted - below) / here) / 1000;
    below += here;
  }
  return last_end / 1000; // reached only through rounding of the sums
}

} // namespace pegasus::monitor
