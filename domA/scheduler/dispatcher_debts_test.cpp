// SPDX-License-Identifier: Apache-2.0
// The dispatcher and the policies' accounts together: what is owed for an overrun is paid once, whether by a bar
// (back_off.h), by the policy, or by both.
#include "domA/scheduler/testing/virtual_device.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using namespace std::chrono_literals;

namespace {

constexpr DomainId lengthy = 1, brief = 2;
constexpr Nanos tick = 10ms;
constexpr Nanos kernel = 1ms;

// Two equal domains that always have work.
struct EqualDomains {
  VirtualDevice device;
  TaskId long_task, brief_task;

  EqualDomains(policies::Entry const& entry, Nanos switch_cost, VirtualDevice::Busy busy)
      : device({.policy = &entry, .tunables = {.tick = tick}, .runaway = 10s, .switch_cost = switch_cost},
               busy) {
    device.set_domain(lengthy, {});
    device.set_domain(brief, {});
    long_task = device.attach(lengthy);
    brief_task = device.attach(brief);
  }
  void run(Nanos span) {
    for (Nanos passed{0}; passed < span; passed += kernel) {
      for (TaskId const task : {long_task, brief_task})
        while (device.calls(task) < 3)
          device.launch(task, kernel);
      device.run(kernel);
    }
  }
  // Of the lengthy one over the other.
  [[nodiscard]] Nanos lead() const { return device.executed(lengthy) - device.executed(brief); }
};

// How far one of two domains may be ahead of the other, as the policies' headers state it.
Nanos most_ahead(policies::Entry const& entry) {
  if (entry.name != "dfq") return tick;
  double const cycle = static_cast<double>((tick / 2 * 2).count()) * policies::Tunables{}.free_run;
  return 2 * Nanos(static_cast<std::int64_t>(cycle)); // in a free run one may have all of the device
}

void check_paid_once(policies::Entry const& entry, Nanos switch_cost, VirtualDevice::Busy busy,
                     Nanos overrun) {
  EqualDomains domains(entry, switch_cost, busy);
  domains.device.launch(domains.long_task, overrun);
  while (domains.device.executed(lengthy) < overrun)
    domains.run(kernel);
  domains.run(overrun); // the other one may have as much
  Nanos const slice = most_ahead(entry);
  for (Nanos passed{0}; passed < 10 * slice; passed += kernel) {
    domains.run(kernel);
    CAPTURE(passed.count(), domains.lead().count());
    REQUIRE(domains.lead() <= slice + kernel);
    REQUIRE(-domains.lead() <= slice + kernel);
  }
  CHECK(domains.device.dispatcher().conduct(lengthy).barred_until <= domains.device.now());
}

} // namespace

TEST_CASE("what is owed for an overrun is paid once, by a bar and by the policy's account together") {
  for (policies::Entry const& entry : policies::registry()) {
    if (!entry.accounts) continue;
    for (auto const busy : {VirtualDevice::Busy::looks_at_gate, VirtualDevice::Busy::queues})
      for (Nanos const switch_cost :
           {0us, 500us}) // lead gives the device to one domain at a time if it costs
        for (Nanos const overrun : {20ms, 100ms, 400ms}) {
          INFO(entry.name << ", overrun " << overrun.count() << ", switch cost " << switch_cost.count());
          check_paid_once(entry, switch_cost, busy, overrun);
        }
  }
}
