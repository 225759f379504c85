// SPDX-License-Identifier: Apache-2.0
#include "frontend/protocol/hybrid_spin.h"

#include <catch2/catch.hpp>

namespace {

struct Spin {
  pegasus_spin state{};
  Spin() { pegasus_spin_init(&state); }
  std::uint32_t wait() { return pegasus_spin_begin(&state); }
};

} // namespace

TEST_CASE("short waits teach a short budget that still covers them") {
  Spin spin;
  for (int i = 0; i < 100; ++i) {
    spin.wait();
    pegasus_spin_hit(&spin.state, 8000);
  }
  CHECK(spin.state.budget_ns >= 16'000);
  CHECK(spin.state.budget_ns < 20'000);
}

TEST_CASE("very short waits do not make the budget so tight that an interrupt means a sleep") {
  Spin spin;
  for (int i = 0; i < 100; ++i) {
    spin.wait();
    pegasus_spin_hit(&spin.state, 0);
  }
  CHECK(spin.state.budget_ns >= PEGASUS_SPIN_HIT_MIN_NS);
}

TEST_CASE("long waits soon cost no polling but a probe now and then") {
  Spin spin;
  std::uint64_t polled = 0;
  for (int i = 0; i < 3200; ++i) {
    polled += spin.wait();
    pegasus_spin_miss(&spin.state, 1000);
  }
  CHECK(polled / 3200 < PEGASUS_SPIN_MAX_NS / PEGASUS_SPIN_PROBE + 2 * PEGASUS_SPIN_MIN_NS);
}

TEST_CASE("a probe that succeeds restores polling") {
  Spin spin;
  for (int i = 0; i < 20; ++i) {
    spin.wait();
    pegasus_spin_miss(&spin.state, 1000);
  }
  while (spin.wait() != PEGASUS_SPIN_MAX_NS)
    pegasus_spin_miss(&spin.state, 1000);
  pegasus_spin_hit(&spin.state, 10'000);
  CHECK(spin.state.budget_ns == 20'000);
}

TEST_CASE("a longer limit is learnt by a probe, and is bounded") {
  Spin spin;
  pegasus_spin_limit(&spin.state, ~0u);
  CHECK(spin.state.max_ns == PEGASUS_SPIN_GPU_NS);
  unsigned waits = 1;
  for (; spin.wait() < 400'000; ++waits)
    pegasus_spin_miss(&spin.state, 1000);
  CHECK(waits <= PEGASUS_SPIN_PROBE);
  pegasus_spin_hit(&spin.state, 400'000);
  CHECK(spin.wait() == 800'000);
  pegasus_spin_limit(&spin.state, 0); // a worker that does not say
  CHECK(spin.state.max_ns == PEGASUS_SPIN_MAX_NS);
}

TEST_CASE("where cores are oversubscribed there is the minimum and no probe for a long while") {
  Spin spin;
  spin.wait();
  pegasus_spin_miss(&spin.state, PEGASUS_SPIN_GAP_NS + 1);
  for (unsigned i = 0; i < PEGASUS_SPIN_BACKOFF; ++i)
    REQUIRE(spin.wait() == PEGASUS_SPIN_MIN_NS);
  bool probed = false;
  for (unsigned i = 0; i < PEGASUS_SPIN_PROBE; ++i)
    probed |= spin.wait() == PEGASUS_SPIN_MAX_NS;
  CHECK(probed);
}

TEST_CASE("answers that come at once end the backing off") {
  Spin spin;
  spin.wait();
  pegasus_spin_miss(&spin.state, PEGASUS_SPIN_GAP_NS + 1);
  for (int i = 0; i < 12; ++i) {
    spin.wait();
    pegasus_spin_hit(&spin.state, 300);
  }
  CHECK(spin.wait() > PEGASUS_SPIN_MIN_NS);
}
