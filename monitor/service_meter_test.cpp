// SPDX-License-Identifier: Apache-2.0
#include "monitor/service_meter.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

namespace {

// A domain that is looked at every 10 ms and uses the device for a fraction of the time.
struct Domain {
  ServiceMeter& meter;
  ServiceMeter::Sample is{.has_calls = true, .gate_open = true, .device_busy = 0ns, .slo = 0.5};
  Time now{};

  void run(Nanos span, double part) {
    for (Nanos passed{0}; passed < span; passed += 10ms) {
      meter.sample(is, now);
      now += 10ms;
      is.device_busy += std::chrono::duration_cast<Nanos>(part * 10ms);
    }
  }
};

} // namespace

TEST_CASE("an SLO is met or missed second by second") {
  ServiceMeter meter;
  meter.tolerate(10ms);
  Domain domain{meter};
  domain.run(3010ms, 0.5);
  CHECK(meter.service().periods == 3);
  CHECK(meter.service().violations == 0);
  CHECK(meter.service().last_period == Approx(0.5));
  CHECK_FALSE(meter.service().violated);
  domain.run(2000ms, 0.4);
  CHECK(meter.service().violated);
  CHECK(meter.service().periods == 5);
  CHECK(meter.service().violations == 2);
  domain.run(1000ms, 0.495); // a time slice may cross the end of the period
  CHECK_FALSE(meter.service().violated);
  CHECK(meter.service().violations == 2);
}

TEST_CASE("a domain that does not ask all the time is not violated") {
  ServiceMeter meter;
  meter.tolerate(10ms);
  Domain domain{meter};
  domain.run(500ms, 0);
  domain.is.has_calls = false;
  domain.run(200ms, 0);
  domain.is.has_calls = true;
  domain.run(310ms, 0);
  CHECK(meter.service().periods == 0);
  domain.run(1000ms, 0);
  CHECK(meter.service().violations == 1);
}

TEST_CASE("a moment without calls is a program that computes") {
  ServiceMeter meter;
  meter.tolerate(10ms);
  Domain domain{meter};
  for (int i = 0; i < 11; ++i) {
    domain.is.has_calls = true;
    domain.run(50ms, 0);
    domain.is.has_calls = false;
    domain.run(50ms, 0);
  }
  CHECK(meter.service().periods == 1);
  CHECK(meter.service().violations == 1);
}

TEST_CASE("seconds in which nothing changed need no looks") {
  ServiceMeter meter;
  meter.tolerate(10ms);
  ServiceMeter::Sample is{.has_calls = true, .gate_open = false, .device_busy = 0ns, .slo = 0.5};
  meter.sample(is, Time{});
  meter.sample(is, Time{5s}); // it waited for its gate all the time
  CHECK(meter.service().periods == 5);
  CHECK(meter.service().violations == 5);
  is.has_calls = false;
  meter.sample(is, Time{6s});
  is.has_calls = true;
  meter.sample(is, Time{8s}); // it asked for nothing
  CHECK(meter.service().periods == 6);
  meter.sample(is, Time{9s});
  CHECK(meter.service().periods == 7);
}

TEST_CASE("without an SLO nothing can be missed, but utilization is known") {
  ServiceMeter meter;
  meter.tolerate(10ms);
  Domain domain{meter};
  domain.is.slo = 0;
  domain.run(2010ms, 0.25);
  CHECK(meter.service().periods == 0);
  CHECK(meter.service().last_period == Approx(0.25));
}

TEST_CASE("waiting is having a call and a closed gate") {
  ServiceMeter meter;
  meter.tolerate(10ms);
  Domain domain{meter};
  domain.run(100ms, 0);
  CHECK(meter.service().waited == 0ms);
  domain.is.gate_open = false;
  domain.run(100ms, 0);
  domain.is.has_calls = false;
  domain.run(100ms, 0);
  CHECK(meter.service().waited == 100ms);
  CHECK(meter.service().wanted == 200ms);
  CHECK(meter.service().average_wait == 12500us);
  domain.is = {.has_calls = true, .gate_open = false};
  for (int i = 0; i < 100; ++i) { // always 20 ms
    domain.is.gate_open = false;
    domain.run(20ms, 0);
    domain.is.gate_open = true;
    domain.run(10ms, 0);
  }
  CHECK(meter.service().average_wait > 19ms);
  CHECK(meter.service().average_wait <= 20ms);
  meter.reset();
  CHECK(meter.service().waited == 0ms);
  CHECK(meter.service().wanted == 0ms);
  meter = ServiceMeter(); // the domain is another one
  CHECK(meter.service().last_period == 0);
}

TEST_CASE("demand is the time with calls, waiting or not, of the last seconds") {
  ServiceMeter meter;
  Domain domain{meter};
  CHECK(meter.service().demand == 0);
  domain.is.gate_open = false; // it waits all the time
  domain.run(10'010ms, 0);
  CHECK(meter.service().demand == Approx(1 - std::exp(-1)).epsilon(0.01));
  domain.run(50s, 0);
  CHECK(meter.service().demand > 0.99);
  domain.is.has_calls = false;
  domain.run(10s, 0);
  CHECK(meter.service().demand == Approx(std::exp(-1)).epsilon(0.02));
  meter.reset(); // resets only what operators see
  CHECK(meter.service().demand > 0.3);
}

TEST_CASE("a domain that was not sampled for long has wanted nothing meanwhile, or all") {
  ServiceMeter meter;
  Domain domain{meter};
  domain.run(60s, 0);
  domain.is.has_calls = false;
  domain.run(20ms, 0);
  meter.sample(domain.is, domain.now + 10min);
  CHECK(meter.service().demand < 0.001);
  domain.is.has_calls = true;
  meter.sample(domain.is, domain.now + 11min);
  meter.sample(domain.is, domain.now + 21min);
  CHECK(meter.service().demand > 0.999);
}

TEST_CASE("a domain wants what it uses, also if none of its calls is seen") {
  ServiceMeter meter;
  Domain domain{meter};
  domain.is.has_calls = false;
  domain.run(20s, 0.8);
  CHECK(meter.service().wanted == 0.8 * (20s - 10ms));
  CHECK(meter.service().waited == 0ms);
  CHECK(meter.service().demand == Approx(0.8 * (1 - std::exp(-2))).epsilon(0.1));
}

TEST_CASE("half of the time with calls is half of the demand") {
  ServiceMeter meter;
  Domain domain{meter};
  for (int step = 0; step < 600; ++step) {
    domain.is.has_calls = step % 2 == 0;
    domain.run(100ms, 0);
  }
  CHECK(meter.service().demand == Approx(0.5).margin(0.02));
}

TEST_CASE("what has happened since the last sample is known without another one") {
  ServiceMeter meter;
  meter.sample({.has_calls = true, .gate_open = false, .device_busy = 0ns, .slo = 0.5}, Time{});
  Service const later = meter.service(Time{2500ms});
  CHECK(later.wanted == 2500ms);
  CHECK(later.waited == 2500ms);
  CHECK(later.periods == 2);
  CHECK(later.violated);
  CHECK(meter.service().wanted == 0ns);
  CHECK(ServiceMeter().service(Time{1s}).wanted == 0ns);
}
