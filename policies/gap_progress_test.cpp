// SPDX-License-Identifier: Apache-2.0
#include "policies/gap_progress.h"

#include <catch2/catch.hpp>
#include <random>

using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

// Gaps of a domain, beside others that use the device whenever they have it. Each returns its progress.
class Gaps {
public:
  Nanos alone(Nanos length) { return watched(length, length); }
  Nanos beside_others(Nanos length) { return watched(length, Nanos{0}); }
  // The domain keeps the device for `held`.
  Nanos watched(Nanos length, Nanos held) {
    gaps_.begin(held, others_);
    Nanos progress = gaps_.count(std::min(held, length), others_);
    if (held < length) {
      others_ += length - held;
      progress += gaps_.count(length - held, others_);
    }
    gaps_.end(length, others_);
    return progress;
  }

private:
  GapProgress gaps_;
  Nanos others_{0};
};

} // namespace

TEST_CASE("a gap counts in full while nobody else uses the device, and until a length is known") {
  Gaps gaps;
  CHECK(gaps.beside_others(5ms) == 5ms);
  CHECK(gaps.alone(400us) == 400us);
  CHECK(gaps.alone(7ms) == 7ms);
}

TEST_CASE("gaps that others stretch count for a little more than they last alone") {
  Gaps gaps;
  gaps.alone(400us);
  Nanos progress{0};
  for (int n = 0; n < 100; ++n)
    progress += gaps.beside_others(4ms);
  CHECK(progress >= 100 * 400us);
  CHECK(progress <= 130 * 400us);
}

TEST_CASE(
    "gaps of random lengths count nearly in full, although those that are seen to end are the short ones") {
  Gaps gaps;
  std::mt19937 random(1);
  std::exponential_distribution<double> lengths(1 / 1e6); // a millisecond on average
  Nanos all{0}, progress{0};
  for (int n = 0; n < 2000; ++n) {
    gaps.watched(Nanos{static_cast<std::int64_t>(lengths(random))}, 1ms);
    Nanos const length{static_cast<std::int64_t>(lengths(random))};
    all += length;
    progress += gaps.beside_others(length);
  }
  CHECK(progress >= all / 100 * 95);
}
