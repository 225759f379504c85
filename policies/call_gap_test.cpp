// SPDX-License-Identifier: Apache-2.0
#include "policies/call_gap.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

// One domain, looked at now and then.
class Looks {
public:
  Looks& calls(Nanos at) { return look(at, true, Nanos{0}, {}); }
  Looks& quiet(Nanos at, std::optional<Nanos> blocked_since = {}, Nanos used = Nanos{0}) {
    return look(at, false, used, blocked_since);
  }
  [[nodiscard]] Nanos hold(Nanos limit) const { return gap_.hold(limit); }
  [[nodiscard]] bool held(Nanos at, Nanos limit) const { return gap_.held(Time{at}, limit); }
  [[nodiscard]] Nanos next_look(Nanos at, Nanos limit) const {
    return gap_.next_look(Time{at}, limit).time_since_epoch();
  }

private:
  Looks& look(Nanos at, bool calls, Nanos used, std::optional<Nanos> blocked_since) {
    DomainView domain;
    domain.calls_waiting = calls ? 1 : 0;
    if (blocked_since) domain.blocked_since = Time{*blocked_since};
    gap_.look(Time{at}, domain, had_calls_, used);
    had_calls_ = calls;
    return *this;
  }

  CallGap gap_{Time{}};
  bool had_calls_ = false;
};

} // namespace

TEST_CASE("a domain whose gaps are not known keeps nothing") {
  Looks looks;
  looks.quiet(1ms);
  CHECK(looks.hold(10ms) == Nanos{0});
  CHECK_FALSE(looks.held(1ms, 10ms));
}

TEST_CASE("a domain is waited for twice its mean gap, if it is expected back within the limit") {
  Looks looks;
  looks.calls(2ms);
  CHECK(looks.hold(10ms) == 4ms);
  CHECK(looks.hold(3ms) == 3ms);
  CHECK(looks.hold(1999us) == Nanos{0});
  looks.quiet(5ms);
  CHECK(looks.held(8ms, 10ms));
  CHECK_FALSE(looks.held(9ms, 10ms));
  CHECK(looks.next_look(5ms, 10ms) == 9ms);
}

TEST_CASE("what was used in a gap is not part of it, and the mean follows slowly") {
  Looks looks;
  looks.quiet(3ms, {}, 1ms);
  CHECK(looks.hold(10ms) == 4ms);
  looks.calls(4ms).quiet(4ms).calls(10ms); // a gap of 1 ms, then one of 6 ms
  CHECK(looks.hold(10ms) == 2 * (1750us + 1062500ns));
}

TEST_CASE("a long absence does not count for more than a second") {
  Looks looks;
  looks.calls(3600s);
  CHECK(looks.hold(max_latency_slice) == max_latency_slice);
}

TEST_CASE("a domain whose vCPU blocks for something else is not waited for, and its sleep is not a gap") {
  Looks looks;
  looks.calls(2ms).quiet(6ms, 5500us); // its vCPU waited for the call, and is being woken
  CHECK(looks.held(6ms, 10ms));
  CHECK(looks.next_look(6ms, 10ms) == 7ms); // whether it sleeps
  looks.quiet(7ms);
  CHECK(looks.held(7ms, 10ms));
  looks.quiet(8ms, 7500us);
  CHECK_FALSE(looks.held(8ms, 10ms));
  looks.calls(500ms);
  CHECK(looks.hold(10ms) == 4ms);
}
