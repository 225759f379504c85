// SPDX-License-Identifier: Apache-2.0
#include "policies/activity.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

class Domain {
public:
  // It had the device for `work` without a pause, and its calls have just ended.
  Domain& works(Nanos work) {
    activity_.sample(now_, Nanos{0}, true, 5ms);
    now_ += work;
    activity_.sample(now_, work, false, 5ms);
    return *this;
  }
  Domain& computes(Nanos gap) {
    now_ += gap;
    return *this;
  }
  [[nodiscard]] bool active() const { return activity_.active(now_); }
  [[nodiscard]] Nanos left() const { return activity_.until() - now_; }

private:
  Time now_{};
  Activity activity_{};
};

} // namespace

TEST_CASE("a domain between two calls is active for as long as it worked, up to the limit") {
  Domain domain;
  CHECK_FALSE(domain.active());
  CHECK(domain.works(1ms).left() == 1ms);
  CHECK(domain.computes(999us).active());
  CHECK_FALSE(domain.computes(1us).active());
  CHECK(Domain().works(20ms).left() == 5ms);
}

TEST_CASE("what a domain has worked is spent on its gaps") {
  Domain domain;
  CHECK(domain.works(3ms).computes(2ms).works(1ms).left() == 2ms);
  CHECK(domain.computes(1ms).works(1ms).left() == 2ms);
}

TEST_CASE("a domain whose gaps last too long is waited for less and less often") {
  Domain domain;
  int waited = 0;
  for (int gap = 0; gap < 1'000; ++gap) {
    waited += domain.works(1ms).active() ? 1 : 0;
    domain.computes(4ms);
  }
  CHECK(waited >= 10);
  CHECK(waited <= 30);
  for (int gap = 0; gap < 100; ++gap) // its gaps become short
    domain.works(1ms).computes(500us);
  CHECK(domain.works(1ms).active());
}

TEST_CASE("work that is seen late, and calls that came and went between two samples, are signs of a domain") {
  Activity activity;
  activity.sample(Time{0ms}, 0ms, true, 5ms);
  activity.sample(Time{1ms}, 0ms, false, 5ms); // its call has ended; the total comes later
  CHECK_FALSE(activity.active(Time{1ms}));
  activity.sample(Time{2ms}, 1ms, false, 5ms); // no gap: it worked
  CHECK(activity.until() == Time{3ms});
  activity.sample(Time{3ms}, 900us, false, 5ms); // a call, after 100 us
  CHECK(activity.until() == Time{3ms + 1800us});
}
