// SPDX-License-Identifier: Apache-2.0
#include "policies/call_gap.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

// One domain, looked at now and then.
class Samples {
public:
  Samples& calls(Nanos at) { return sample(at, true, Nanos{0}, {}); }
  Samples& quiet(Nanos at, std::optional<Nanos> blocked_since = {}, Nanos used = Nanos{0}) {
    return sample(at, false, used, blocked_since);
  }
  [[nodiscard]] Nanos hold(Nanos limit) const { return gap_.hold(limit); }
  [[nodiscard]] bool held(Nanos at, Nanos limit) const { return gap_.held(Time{at}, limit); }
  [[nodiscard]] Nanos next_sample(Nanos at, Nanos limit) const {
    return gap_.next_sample(Time{at}, limit).time_since_epoch();
  }

private:
  Samples& sample(Nanos at, bool calls, Nanos used, std::optional<Nanos> blocked_since) {
    DomainView domain;
    domain.calls_waiting = calls ? 1 : 0;
    if (blocked_since) domain.cpu.blocked_since = Time{*blocked_since};
    gap_.sample(Time{at}, domain, had_calls_, used);
    had_calls_ = calls;
    return *this;
  }

  CallGap gap_{Time{}};
  bool had_calls_ = false;
};

} // namespace

TEST_CASE("a domain whose gaps are not known keeps nothing") {
  Samples samples;
  samples.quiet(1ms);
  CHECK(samples.hold(10ms) == Nanos{0});
  CHECK_FALSE(samples.held(1ms, 10ms));
}

TEST_CASE("a domain is waited for twice its mean gap, if it is expected back within the limit") {
  Samples samples;
  samples.calls(2ms);
  CHECK(samples.hold(10ms) == 4ms);
  CHECK(samples.hold(3ms) == 3ms);
  CHECK(samples.hold(1999us) == Nanos{0});
  samples.quiet(5ms);
  CHECK(samples.held(8ms, 10ms));
  CHECK_FALSE(samples.held(9ms, 10ms));
  CHECK(samples.next_sample(5ms, 10ms) == 9ms);
}

TEST_CASE("what was used in a gap is not part of it, and the mean follows slowly") {
  Samples samples;
  samples.quiet(3ms, {}, 1ms);
  CHECK(samples.hold(10ms) == 4ms);
  samples.calls(4ms).quiet(4ms).calls(10ms); // a gap of 1 ms, then one of 6 ms
  CHECK(samples.hold(10ms) == 2 * (1750us + 1062500ns));
}

TEST_CASE("a long absence does not count for more than a second") {
  Samples samples;
  samples.calls(3600s);
  CHECK(samples.hold(max_latency_slice) == max_latency_slice);
}

TEST_CASE("a domain whose vCPU blocks for something else is not waited for, and its sleep is not a gap") {
  Samples samples;
  samples.calls(2ms).quiet(6ms, 5500us); // its vCPU waited for the call, and is being woken
  CHECK(samples.held(6ms, 10ms));
  CHECK(samples.next_sample(6ms, 10ms) == 7ms); // whether it sleeps
  samples.quiet(7ms);
  CHECK(samples.held(7ms, 10ms));
  samples.quiet(8ms, 7500us);
  CHECK_FALSE(samples.held(8ms, 10ms));
  samples.calls(500ms);
  CHECK(samples.hold(10ms) == 4ms);
}
