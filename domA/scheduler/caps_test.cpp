// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/caps.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// A domain that uses the device whenever it may, in kernels of this length; what part of the time it had.
double received(double cap, Nanos kernel, Nanos duration) {
  Caps caps;
  DomainRecord domain{.id = 1};
  Time now{1s};
  Time const end = now + duration;
  caps.set(domain, cap, now);
  Nanos total{0};
  caps.used(domain, total, now);
  while (now < end) {
    while (caps.take_ended(now))
      caps.used(domain, total, now);
    if (caps.spent(domain)) {
      now = caps.next_end();
      continue;
    }
    now += kernel;
    total += kernel;
    caps.used(domain, total, now);
  }
  return static_cast<double>(total.count()) / static_cast<double>((now - Time{1s}).count());
}

} // namespace

TEST_CASE("a domain receives its cap, whatever the lengths of its kernels") {
  for (double const cap : {0.01, 0.3, 0.95})
    for (Nanos const kernel : {Nanos{100us}, Nanos{2ms}, Nanos{300ms}}) {
      INFO(cap << ", kernels of " << kernel.count() << " ns");
      CHECK(received(cap, kernel, 200s) == Approx(cap).margin(0.01));
    }
}

TEST_CASE("what a domain saves up is a tenth of a second's part") {
  Caps caps;
  DomainRecord domain{.id = 1};
  caps.set(domain, 0.5, Time{0s});
  caps.used(domain, 0ms, Time{0s});
  CHECK(caps.left(domain, Time{100s}) == 100ms); // 50 ms, and what comes meanwhile
  caps.used(domain, 0ms, Time{100s});
  caps.used(domain, 49ms, Time{100s});
  CHECK_FALSE(caps.spent(domain));
  caps.used(domain, 50ms, Time{100s});
  CHECK(caps.spent(domain));
  CHECK(caps.left(domain, Time{100s}) == 0ms);
  CHECK(caps.next_end() == Time{100s} + 4ms); // for 2 ms
  CHECK_FALSE(caps.take_ended(Time{100s} + 3ms));
  CHECK(caps.take_ended(Time{100s} + 4ms) == &domain);
  CHECK_FALSE(caps.spent(domain));
}

TEST_CASE("a cap may be changed and lifted, and a domain without one is not limited") {
  Caps caps;
  DomainRecord domain{.id = 1};
  caps.set(domain, 0.1, Time{0s});
  caps.used(domain, 0ms, Time{0s});
  caps.used(domain, 110ms, Time{0s}); // 100 ms too many
  REQUIRE(caps.spent(domain));
  CHECK(caps.next_end() == Time{1020ms});
  caps.set(domain, 0.5, Time{0s});
  CHECK(caps.take_ended(Time{0s}) == &domain); // to be looked at anew
  caps.used(domain, 110ms, Time{0s});
  CHECK(caps.next_end() == Time{204ms});
  for (double const none : {0.0, 1.0}) {
    caps.set(domain, none, Time{0s});
    CHECK_FALSE(caps.spent(domain));
    CHECK(caps.next_end() == Time::max());
    CHECK_FALSE(caps.left(domain, Time{0s}));
    caps.used(domain, 10s, Time{0s});
    CHECK_FALSE(caps.spent(domain));
  }
}

TEST_CASE("totals that decrease or leap do no lasting harm") {
  Caps caps;
  DomainRecord domain{.id = 1};
  caps.set(domain, 0.5, Time{0s});
  caps.used(domain, 1s, Time{0s}); // what it had before it had a cap
  CHECK_FALSE(caps.spent(domain));
  caps.used(domain, Nanos::max(), Time{0s});
  CHECK(caps.next_end() < Time{25s});
  caps.used(domain, 0ms, Time{30s});
  caps.used(domain, 1ms, Time{30s});
  CHECK(caps.take_ended(Time{30s}) == &domain);
  CHECK_FALSE(caps.spent(domain));
}
