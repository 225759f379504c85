// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/back_off.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr DomainId victim = 7, other_victim = 8;

BackOff::Waiting waiting(double credits) { return {{victim, other_victim}, credits}; }

// Those who were kept waiting want the device all the time, unless a test says otherwise.
struct Offences : BackOff {
  Offences() { tolerate(2ms); }
  void overran(DomainRecord& domain, Nanos time, Waiting waiting, Time now, bool owes = true) {
    note({&domain, time, false, std::move(waiting)});
    (void)judge([owes](DomainId) { return owes; }, now);
  }
  void killed(DomainRecord& domain, Nanos time, Waiting waiting, Time now) {
    note({&domain, time, true, std::move(waiting)});
    (void)judge([](DomainId) { return false; }, now);
  }
  DomainRecord* take_ended(Time now) {
    return BackOff::take_ended(now, [&](DomainId domain) -> std::optional<Time> {
      auto const found = wanted.find(domain);
      return found == wanted.end() ? now : found->second;
    });
  }
  // Until when it is barred, with a look at each millisecond.
  Time ends(DomainRecord const& domain, Time now) {
    while (until(domain) > now)
      (void)take_ended(now += 1ms);
    return now;
  }
  void forget(DomainRecord& domain) { // another one comes with its number
    BackOff::forget(domain);
    domain = {.id = domain.id};
  }
  DomainRecord offender{.id = 1}, other_offender{.id = 2};
  std::map<DomainId, std::optional<Time>> wanted; // last; nullopt: it has left
};

} // namespace

TEST_CASE("back-off: as long as it kept others waiting, for each of them its credits' worth") {
  Offences offences;
  CHECK(offences.until(offences.offender) == Time{});
  offences.overran(offences.offender, 2ms, waiting(1), Time{1s}); // tolerated
  CHECK(offences.until(offences.offender) == Time{});
  offences.overran(offences.offender, 30ms, waiting(1), Time{1s});
  CHECK(offences.until(offences.offender) == Time{1030ms});
  offences.overran(offences.other_offender, 30ms, waiting(3), Time{1s});
  CHECK(offences.until(offences.other_offender) == Time{1090ms});
  offences.overran(offences.other_offender, 10ms, waiting(1), Time{1010ms}); // ends before the other one
  CHECK(offences.until(offences.other_offender) == Time{1090ms});
  CHECK(offences.next_end() == Time{1030ms});
  CHECK_FALSE(offences.take_ended(Time{1029ms}));
  CHECK(offences.take_ended(Time{1050ms}) == &offences.offender);
  CHECK_FALSE(offences.take_ended(Time{1050ms}));
  CHECK(offences.ends(offences.other_offender, Time{1050ms}) == Time{1090ms});
  CHECK(offences.next_end() == Time::max());
}

TEST_CASE("back-off: who owes nothing for it is not barred, and who is forgotten is not judged") {
  Offences offences;
  offences.overran(offences.offender, 30ms, waiting(1), Time{1s}, false);
  CHECK(offences.until(offences.offender) == Time{});
  offences.note({&offences.offender, 30ms, true, waiting(1)});
  offences.note({&offences.other_offender, 30ms, true, waiting(1)});
  offences.forget(offences.offender);
  CHECK(offences.judge([](DomainId) { return true; }, Time{1s}) == std::vector{&offences.other_offender});
}

TEST_CASE("back-off: a bar ends when none of those who waited has wanted the device for as long") {
  Offences offences;
  offences.overran(offences.offender, 30ms, waiting(1000), Time{1s});
  CHECK(offences.until(offences.offender) == Time{31s});
  offences.wanted = {{victim, Time{1001ms}}, {other_victim, Time{1020ms}}};
  CHECK(offences.ends(offences.offender, Time{1s}) == Time{1050ms});
}

TEST_CASE("back-off: one of those who waited is enough") {
  Offences offences;
  offences.overran(offences.offender, 30ms, waiting(10), Time{1s});
  offences.wanted = {{victim, Time{1s}}};
  CHECK(offences.ends(offences.offender, Time{1s}) == Time{1300ms});
}

TEST_CASE("back-off: a bar does not outlive those who waited") {
  Offences offences;
  offences.overran(offences.offender, 300ms, waiting(1000), Time{1s});
  offences.overran(offences.other_offender, 300ms, {{victim}, 1000}, Time{1s});
  offences.wanted = {{victim, std::nullopt}};
  offences.left(Time{1010ms});
  CHECK(offences.take_ended(Time{1010ms}) == &offences.other_offender);
  CHECK_FALSE(offences.take_ended(Time{1010ms}));
  CHECK(offences.until(offences.offender) > Time{10s});
}

TEST_CASE("back-off: twice as long with each task that was killed, a minute at most") {
  Offences offences;
  Time now{1s};
  for (Nanos const length : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    offences.killed(offences.offender, 1s, waiting(1), now);
    CHECK(offences.until(offences.offender) == now + length);
    now = offences.until(offences.offender) + 100ms;
  }
}

TEST_CASE("back-off: forgiven after as long a time without another") {
  Offences offences;
  offences.killed(offences.offender, 1s, waiting(1), Time{1s});
  offences.killed(offences.offender, 1s, waiting(1), Time{3s});
  CHECK(offences.until(offences.offender) == Time{5s});
  offences.killed(offences.offender, 1s, waiting(1),
                  Time{8100ms}); // 2.1 s of other work, and the call that was killed
  CHECK(offences.until(offences.offender) == Time{9100ms});
}

TEST_CASE("back-off: the longest of times and the wildest of credits are bounded") {
  Offences offences;
  offences.killed(offences.offender, Nanos::max(), waiting(65535), Time{1s});
  CHECK(offences.until(offences.offender) == Time{61s});
  offences.killed(offences.other_offender, 1s, waiting(0), Time{1s}); // no other domain waits any more
  CHECK(offences.until(offences.other_offender) <= Time{1s});
}

TEST_CASE("back-off: a domain that is forgotten is barred no more") {
  Offences offences;
  offences.overran(offences.offender, 30ms, waiting(1), Time{1s});
  offences.forget(offences.offender);
  CHECK(offences.until(offences.offender) == Time{});
  CHECK(offences.next_end() == Time::max());
}
