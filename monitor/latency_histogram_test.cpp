// SPDX-License-Identifier: Apache-2.0
#include "monitor/latency_histogram.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;

TEST_CASE("buckets are quarters of powers of two") {
  CHECK(LatencyHistogram::bucket_start_ns(0) == Approx(1));
  CHECK(LatencyHistogram::bucket_start_ns(3) == Approx(1.75));
  CHECK(LatencyHistogram::bucket_start_ns(40) == Approx(1024));
  CHECK(LatencyHistogram::bucket_start_ns(42) == Approx(1536));
  CHECK(LatencyHistogram::bucket_start_ns(128) == Approx(4294967296.0));
}

TEST_CASE("no calls, no latency") {
  LatencyHistogram const histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.p50_us() == 0);
  CHECK(histogram.p99_us() == 0);
}

TEST_CASE("percentiles lie in the bucket that holds them") {
  LatencyHistogram histogram;
  LatencyHistogram::Reading last{};
  LatencyHistogram::Reading counters{};
  counters[52] = 98; // from 8.192 us to 10.240 us
  counters[80] = 2;  // from 1048.576 us to 1310.720 us
  histogram.merge(last, counters);
  CHECK(histogram.count() == 100);
  CHECK(histogram.p50_us() == Approx(8.192 + 2.048 * 50 / 98));
  CHECK(histogram.p99_us() == Approx(1048.576 + 262.144 / 2));
  CHECK(histogram.percentile_us(0) == Approx(8.192));
  CHECK(histogram.percentile_us(1) == Approx(1310.720));
  CHECK(histogram.percentile_us(7) == Approx(1310.720));
}

TEST_CASE("the total takes each latency as the middle of its bucket") {
  LatencyHistogram histogram;
  CHECK(histogram.total_ns() == 0);
  LatencyHistogram::Reading last{};
  LatencyHistogram::Reading counters{};
  counters[40] = 2; // from 1024 ns to 1280 ns
  counters[52] = 1; // from 8192 ns to 10240 ns
  histogram.merge(last, counters);
  CHECK(histogram.total_ns() == Approx(2 * 1152 + 9216));
}

TEST_CASE("several sources add up, and counters wrap") {
  LatencyHistogram histogram;
  LatencyHistogram::Reading first{};
  LatencyHistogram::Reading second{};
  LatencyHistogram::Reading counters{};
  counters[10] = 0xFFFFFFF0U;
  first = counters; // merged long ago
  counters[10] = 5; // 21 further calls
  histogram.merge(first, counters);
  CHECK(histogram.count() == 21);
  CHECK(first == counters);
  histogram.merge(first, counters);
  CHECK(histogram.count() == 21);
  histogram.merge(second, counters);
  CHECK(histogram.count() == 26);
}

TEST_CASE("what is measured here lies in its bucket") {
  using namespace std::chrono_literals;
  LatencyHistogram histogram;
  histogram.add(1100us);
  CHECK(histogram.percentile_us(0) == Approx(1048.576));
  CHECK(histogram.percentile_us(1) == Approx(1310.720));
  histogram.add(-5ns);
  histogram.add(std::chrono::hours(100));
  CHECK(histogram.count() == 3);
  CHECK(histogram.percentile_us(0) == Approx(0.001));
  CHECK(histogram.percentile_us(1) == Approx(4294967.296));
}

TEST_CASE("a latency counts in the bucket whose limits it is between") {
  for (std::size_t bucket = 8; bucket + 1 < latency_buckets;
       ++bucket) { // the first ones are of less than a ns
    auto const start = static_cast<std::int64_t>(LatencyHistogram::bucket_start_ns(bucket));
    auto const end = static_cast<std::int64_t>(LatencyHistogram::bucket_start_ns(bucket + 1));
    for (std::int64_t const ns : {start, end - 1}) {
      LatencyHistogram histogram;
      histogram.add(std::chrono::nanoseconds(ns));
      LatencyHistogram sum;
      sum.add(histogram);
      CHECK(sum.count() == 1);
      CHECK(sum.percentile_us(1) == Approx(LatencyHistogram::bucket_start_ns(bucket + 1) / 1000));
    }
  }
}
