// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/reservations.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr DomainId reserved_one = 1, reserved_other = 2;

// A device on which kernels cannot be stopped: whoever is chosen has it, else another domain.
struct ReservedDevice {
  Reservations reservations;
  Time now{1s};
  std::map<DomainId, Nanos> totals{};
  Nanos of_others{0};
  int changes = 0;
  DomainRecord* owner = nullptr;
  Records records{};

  DomainRecord& record(DomainId domain) { return records.add(domain); }
  void update(DomainId domain, bool has_calls = true) {
    reservations.update(record(domain), {.has_calls = has_calls, .may_run = true, .used = totals[domain]},
                        now);
  }
  void reserve(DomainId domain, double part) {
    reservations.set(record(domain), part, now);
    update(domain);
  }
  // One kernel of whoever is to run now.
  void kernel(Nanos own, Nanos others) {
    DomainRecord* const chosen = reservations.choose(true, now);
    reservations.give(chosen != nullptr);
    if (chosen != owner) {
      ++changes;
      reservations.begins(now);
    }
    owner = chosen;
    now += chosen ? own : others;
    (chosen ? totals[chosen->id] : of_others) += chosen ? own : others;
    for (auto const& [domain, total] : totals)
      update(domain);
  }
  [[nodiscard]] double part_of(DomainId domain) const {
    return static_cast<double>(totals.at(domain).count()) / static_cast<double>((now - Time{1s}).count());
  }
};

} // namespace

TEST_CASE("a domain with calls receives its reservation and no more, whatever the kernels' lengths") {
  for (double const part : {0.01, 0.3, 0.8})
    for (Nanos const own : {Nanos{100us}, Nanos{1ms}, Nanos{40ms}})
      for (Nanos const others : {Nanos{100us}, Nanos{40ms}}) {
        INFO(part << ", kernels of " << own.count() << " ns beside " << others.count() << " ns");
        ReservedDevice device;
        device.reserve(reserved_one, part);
        while (device.now < Time{200s})
          device.kernel(own, others);
        CHECK(device.part_of(reserved_one) == Approx(part).margin(0.005));
      }
}

TEST_CASE("two reservations hold beside each other") {
  ReservedDevice device;
  device.reserve(reserved_one, 0.4);
  device.reserve(reserved_other, 0.4);
  while (device.now < Time{60s})
    device.kernel(10ms, 10ms);
  CHECK(device.part_of(reserved_one) == Approx(0.4).margin(0.005));
  CHECK(device.part_of(reserved_other) == Approx(0.4).margin(0.005));
}

TEST_CASE("the owner of the device changes seldom, the more so if a change is dear") {
  for (Nanos const change : {Nanos{0}, Nanos{1ms}})
    for (double const part : {0.1, 0.5, 0.9}) {
      INFO(part << ", a change of " << change.count() << " ns");
      ReservedDevice device;
      device.reservations.set_lengths(10ms, change);
      device.reserve(reserved_one, part);
      while (device.now < Time{11s})
        device.kernel(100us, 100us);
      CHECK(device.changes <= 2 * 10s / 40ms + 2);
      CHECK(change * device.changes <= Nanos{10s} / 20);
    }
}

TEST_CASE(
    "what a domain saves up without calls is a tenth of a second's part, and while it waits a second's") {
  for (bool const waits : {false, true}) {
    ReservedDevice device;
    device.reserve(reserved_one, 0.5);
    device.update(reserved_one, waits);
    device.now += 100s;
    device.update(reserved_one);
    Time const began = device.now;
    while (device.reservations.choose(true, device.now))
      device.kernel(1ms, 1ms);
    Nanos const served = waits ? 1000ms : 100ms; // at half of the speed at which it is used
    CHECK(device.now - began >= served - 1ms);
    CHECK(device.now - began <= served);
  }
}

TEST_CASE("a domain that has its part by the policy is not due") {
  ReservedDevice device;
  device.reserve(reserved_one, 0.3);
  for (int slice = 0; slice < 1000; ++slice) { // 10 ms of 33, in turn
    device.now += 10ms;
    device.totals[reserved_one] += 10ms;
    device.update(reserved_one);
    CHECK_FALSE(device.reservations.choose(true, device.now));
    device.now += 23ms;
    device.update(reserved_one);
    CHECK_FALSE(device.reservations.choose(true, device.now));
  }
  device.now += 300ms; // the others keep the device
  CHECK(device.reservations.choose(true, device.now) == &device.record(reserved_one));
}

TEST_CASE("a domain that is due is waited for through a gap, and not for long") {
  ReservedDevice device;
  device.reserve(reserved_one, 0.5);
  device.now += 30ms;
  device.kernel(1ms, 1ms);
  REQUIRE(device.owner == &device.record(reserved_one));
  device.update(reserved_one, false);
  Time const gap = device.reservations.ask_again(device.now);
  CHECK(gap > device.now);
  CHECK(gap <= device.now + 1ms);
  CHECK(device.reservations.choose(true, gap - 1us) == &device.record(reserved_one));
  CHECK_FALSE(device.reservations.choose(true, gap));
}

TEST_CASE("a domain that has the device and does not use it is soon not due") {
  ReservedDevice device;
  device.reserve(reserved_one, 0.5);
  device.now += 30ms;
  device.update(reserved_one);
  REQUIRE(device.reservations.choose(true, device.now) == &device.record(reserved_one));
  device.reservations.give(true);
  device.reservations.begins(device.now);
  Time const began = device.now;
  while (device.reservations.choose(true, device.now)) {
    device.now += 1ms;
    device.update(reserved_one); // its call does something else than to execute
  }
  CHECK(device.now - began < 40ms); // 15 ms, what comes meanwhile, and what is free
}

TEST_CASE("a reservation is lifted, and that of a domain that may not run is none") {
  ReservedDevice device;
  device.reserve(reserved_one, 0.5);
  CHECK(device.record(reserved_one).reservation);
  device.now += 50ms;
  device.reservations.update(device.record(reserved_one), {.has_calls = true, .may_run = false, .used = 0ms},
                             device.now);
  CHECK_FALSE(device.reservations.choose(true, device.now));
  device.update(reserved_one);
  CHECK(device.reservations.choose(true, device.now) == &device.record(reserved_one));
  device.reservations.set(device.record(reserved_one), 0, device.now);
  CHECK_FALSE(device.reservations.choose(true, device.now));
  CHECK_FALSE(device.record(reserved_one).reservation);
  CHECK(device.reservations.next_due(device.now) == Time::max());
}
