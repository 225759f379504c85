// SPDX-License-Identifier: Apache-2.0
// What a second with many domains that always have work costs pegasusd: where domains share the device, no more
// than with time slices.
#include "domA/scheduler/testing/virtual_device.h"

#include <catch2/catch.hpp>

#include <string>

using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using namespace std::chrono_literals;

namespace {

constexpr DomainId busy_domains = 64;

struct Cost {
  std::size_t points = 0; // scheduling points
  std::size_t vcpus = 0;  // looks at the CPU schedule
};

// Of a local domain a look reads files of /proc.
struct CountedSchedule final : CpuSchedule {
  std::size_t looks = 0;
  pegasus::policies::CpuState read(Caller const&, Time) override {
    ++looks;
    return {.running = true};
  }
};

Cost of_a_second(std::string const& policy, Nanos switch_cost) {
  CountedSchedule schedule;
  VirtualDevice device({.policy = pegasus::policies::find(policy),
                        .tunables = {.tick = 10ms},
                        .runaway = 1s,
                        .switch_cost = switch_cost,
                        .cpu_schedule = &schedule});
  for (DomainId id = 1; id <= busy_domains; ++id) {
    device.set_domain(id, {});
    device.attach(id);
  }
  auto const run = [&](Nanos span) {
    for (Time const end = device.now() + span; device.now() < end; device.run(200us))
      for (TaskId const task : device.tasks())
        if (device.calls(task) < 2) device.launch(task, 200us);
  };
  run(200ms);
  Cost const before{device.points(), schedule.looks};
  run(1s);
  return {device.points() - before.points, schedule.looks - before.vcpus};
}

} // namespace

TEST_CASE("domains that share the device cost about as many scheduling points as time slices do") {
  Cost const slices = of_a_second("eevdf", 0ms);
  REQUIRE(slices.points > 0);
  for (std::string const policy : {"lead", "dfq"}) {
    Cost const shared = of_a_second(policy, 0ms);
    INFO(policy << ": " << shared.points << " scheduling points, eevdf: " << slices.points);
    CHECK(static_cast<double>(shared.points) <= 1.5 * static_cast<double>(slices.points));
  }
}

TEST_CASE("the CPU schedule is read only where the policy looks at it") {
  for (std::string const policy : {"eevdf", "dfq", "lead"})
    CHECK(of_a_second(policy, 0ms).vcpus == 0);
  CHECK(of_a_second("lead", 1ms).vcpus >= busy_domains);
}
