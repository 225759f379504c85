// SPDX-License-Identifier: Apache-2.0
// Domains whose kernels end, beside others whose kernels may not, in any order of launches, deaths, settings and
// policies, around a real Dispatcher in virtual time: the innocent, several of whom wait, are charged exactly, neither
// killed nor barred, and served.
//
// Input: the policy and how workers wait (8 bits each), then steps: what (8 bits), of which, and how long (16 bits each).
#include "domA/scheduler/testing/crowd.h"

#include "policies/registry.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <cstdlib>
#include <iostream>
#include <iterator>

namespace {

using namespace pegasus;
using namespace pegasus::scheduler::testing;
using scheduler::Nanos;

constexpr unsigned max_steps = 160;

// Most steps are those of which most happen.
constexpr Step::Kind kinds[] = {Step::launch, Step::launch, Step::launch, Step::launch,
                                Step::launch, Step::launch, Step::wait,   Step::wait,
                                Step::wait,   Step::wait,   Step::wait,   Step::attach,
                                Step::attach, Step::die,    Step::change, Step::use};

// Up to 2 or 30 ms; a few kernels do not end, and a few waits are long enough for a task to be given up.
Nanos time_of(Step::Kind kind, std::uint16_t bits) {
  constexpr std::uint16_t steps = 1 << 10;
  unsigned const range = bits / steps; // 0 to 63
  Nanos const longest = range % 2 == 0 ? std::chrono::milliseconds(2) : std::chrono::milliseconds(30);
  Nanos const time = longest * (bits % steps + 1) / steps;
  if (range < 56) return time;
  return kind == Step::launch ? Nanos(std::chrono::hours(1)) : time * 20;
}

Step step_of(fuzz::Input& input) {
  Step::Kind const kind = kinds[input.take<std::uint8_t>() % std::size(kinds)];
  std::uint32_t const which = input.take<std::uint16_t>();
  return {kind, which, time_of(kind, input.take<std::uint16_t>())};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  static bool const shown = std::getenv("PEGASUS_FUZZ_SHOW") != nullptr;
  fuzz::Input input(data, bytes);
  auto const all = policies::registry();
  policies::Entry const& policy = all[input.take<std::uint8_t>() % all.size()];
  bool const queues = input.take<std::uint8_t>() % 2 != 0;
  if (shown) std::cerr << policy.name << (queues ? ", queues: " : ": ");
  Crowd crowd(policy, queues ? VirtualDevice::Busy::queues : VirtualDevice::Busy::looks_at_gate);
  for (unsigned n = 0; n < max_steps && !input.empty(); ++n) {
    Step const step = step_of(input);
    if (shown) std::cerr << step;
    if (char const* const what = crowd.take(step)) {
      std::cerr << "broken: " << what << '\n';
      fuzz::require(false);
    }
  }
  return 0;
}
