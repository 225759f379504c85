// SPDX-License-Identifier: Apache-2.0
#include "sim/guest/guest_vcpu.h"

#include "sim/cpu/credit.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

// Asks for CPU time and counts what it had; 1 ms at a time.
class Computing final : public Thread {
public:
  using Thread::Thread;
  int had = 0; // ms
  bool again = true;

private:
  void computed() override {
    ++had;
    if (again) compute(1ms);
  }
};

struct OneVcpu {
  OneVcpu() {
    for (Computing* const thread : {&one, &two})
      thread->compute(1ms);
  }
  void run(Nanos span) { clock.run_until(clock.now() + span); }
  [[nodiscard]] Nanos cpu_time() const { return scheduler.cpu_time(vcpu.id()); }

  Clock clock;
  Credit scheduler{clock, {.pcpus = 1}};
  GuestVcpu vcpu{clock, scheduler, {}, {.slice = 4ms, .entry = 0us}};
  Computing one{vcpu}, two{vcpu};
};

} // namespace

TEST_CASE("a stopped thread has no CPU time, the other one has all of it") {
  OneVcpu guest;
  guest.run(80ms);
  CHECK(guest.one.had == Approx(40).margin(4));
  int const before = guest.one.had;
  guest.one.stop();
  guest.run(40ms);
  CHECK(guest.one.had == before);
  CHECK(guest.one.had + guest.two.had == Approx(120).margin(1));
  guest.one.go_on();
  guest.run(80ms);
  CHECK(guest.one.had == Approx(before + 40).margin(4));
}

TEST_CASE("what a thread had of its request before it was stopped counts") {
  OneVcpu guest;
  guest.two.stop();
  guest.run(10ms + 600us);
  CHECK(guest.one.had == 10);
  guest.one.stop();
  guest.run(5ms);
  guest.one.go_on();
  guest.run(300us);
  CHECK(guest.one.had == 10);
  guest.run(200us);
  CHECK(guest.one.had == 11);
}

TEST_CASE("a vCPU blocks while all its threads are stopped") {
  OneVcpu guest;
  guest.run(10ms);
  guest.one.stop();
  guest.two.stop();
  Nanos const before = guest.cpu_time();
  guest.run(1s);
  CHECK(guest.cpu_time() <= before + 1ms); // the rate limit
  guest.two.go_on();
  guest.run(10ms);
  CHECK(guest.two.had >= 9);
  CHECK(guest.one.had <= 8);
}

TEST_CASE("a thread that was stopped while its vCPU waited for a pCPU does not run when that has one") {
  OneVcpu guest;
  GuestVcpu other{guest.clock, guest.scheduler, {.domain = 1}, {}};
  Computing rival{other};
  rival.compute(1ms);
  while (guest.scheduler.state(guest.vcpu.id()).running)
    guest.run(100us);
  int const before = guest.one.had + guest.two.had;
  guest.one.stop();
  guest.two.stop();
  guest.run(1s);
  CHECK(guest.one.had + guest.two.had == before);
  CHECK(rival.had >= 900);
}

TEST_CASE("what a stopped thread asks for waits until it goes on") {
  OneVcpu guest;
  guest.one.again = false;
  guest.two.stop();
  guest.run(10ms);
  CHECK(guest.one.had == 1);
  guest.one.stop();
  guest.one.compute(1ms); // as when its sleep ends
  guest.run(10ms);
  CHECK(guest.one.had == 1);
  CHECK(guest.one.computes());
  guest.one.go_on();
  guest.run(2ms);
  CHECK(guest.one.had == 2);
}
