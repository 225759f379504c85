// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/cpu_schedule_sampler.h"

#include <catch2/catch.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>
#include <unistd.h>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// A hypervisor that reports what the test sets.
struct Script {
  monitor::VcpuSchedule vcpu{.state = monitor::VcpuState::blocked,
                             .priority = 0,
                             .cpu = 1,
                             .credit = 0,
                             .since = Time{},
                             .updated = Time{},
                             .ran = 0ns};
  bool running = false;
  std::vector<std::uint32_t> boosted;
  xen::Boost answer = xen::Boost::given;
  std::uint32_t vcpus = 1;
  std::vector<std::uint32_t> forgotten;
};

constexpr std::uint32_t calling = 2; // the vCPU that it reports on

class ScriptedSchedule final : public xen::Schedule {
public:
  explicit ScriptedSchedule(Script& script) : script_(script) {}
  xen::CpuState read(std::uint32_t, std::uint32_t id, Time) override {
    return id == calling ? xen::CpuState{script_.running, Time{5ms}, Time{3ms}, 7ms, 512}
                         : xen::CpuState{.weight = 512};
  }
  std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t, std::uint32_t id, Time) override {
    return id < script_.vcpus ? std::optional(script_.vcpu) : std::nullopt;
  }
  xen::Boost boost(std::uint32_t domain, std::uint32_t, Time) override {
    script_.boosted.push_back(domain);
    return script_.answer;
  }
  void forget(std::uint32_t domain) override { script_.forgotten.push_back(domain); }
  std::string source() const override { return "a script"; }

private:
  Script& script_;
};

struct Fixture {
  boost::asio::io_context io{1};
  Script script;
  std::vector<Caller> on_device;
  Time now{};
  CpuScheduleSampler watch{io, {.on_device = [this] { return on_device; }, .now = [this] { return now; }}};

  Fixture() {
    watch.use(std::make_unique<ScriptedSchedule>(script));
    watch.set_guest(1, 17); // domain 17 of Xen
  }
  policies::CpuState cpu(DomainId domain, std::uint32_t vcpu = calling) {
    return watch.read({domain, vcpu}, now);
  }
};

} // namespace

TEST_CASE("a guest's CPU side comes from the hypervisor, a local domain's from its processes") {
  Fixture fixture;
  fixture.script.running = true;
  CHECK(fixture.cpu(1).running);
  CHECK(fixture.cpu(1).running_since == Time{5ms});
  CHECK(fixture.cpu(1).blocked_since == Time{3ms});
  CHECK(fixture.cpu(1).credit_left == 7ms);
  CHECK(fixture.cpu(1).weight == 512);
  CHECK_FALSE(fixture.cpu(1, 0).running); // another of its vCPUs does
  CHECK(fixture.cpu(1, 0).credit_left == 0ms);
  CHECK(fixture.cpu(1, 0).weight == 512);
  fixture.watch.attach(2, getpid()); // this process runs
  CHECK(fixture.cpu(2).running);
  CHECK(fixture.cpu(2).weight == policies::default_credits);
  CHECK_FALSE(fixture.cpu(3).running); // unknown domain
}

TEST_CASE("while there is work it samples whose work is on the device, and whether it is on a CPU") {
  Fixture fixture;
  fixture.on_device = {{1, calling}};
  fixture.io.run_for(50ms);
  CHECK(fixture.watch.overlap(1).samples == 0);
  fixture.watch.work(true);
  fixture.script.running = true;
  fixture.io.restart();
  fixture.io.run_for(100ms);
  auto const running = fixture.watch.overlap(1);
  CHECK(running.samples > 0);
  CHECK(running.on_cpu == running.samples);
  fixture.script.running = false;
  fixture.io.run_for(100ms);
  CHECK(fixture.watch.overlap(1).samples > running.samples);
  CHECK(fixture.watch.overlap(1).on_cpu == running.on_cpu);
  fixture.watch.work(false);
  fixture.io.run(); // returns: nothing is pending
}

TEST_CASE("a vCPU that waits for a pCPU is boosted, a blocked one is left to its event") {
  Fixture fixture;
  fixture.watch.gate_opened({1, 0});
  CHECK(fixture.script.boosted.empty());
  fixture.script.vcpu.state = monitor::VcpuState::runnable;
  fixture.watch.gate_opened({1, 0});
  CHECK(fixture.script.boosted == std::vector<std::uint32_t>{17});
  fixture.watch.gate_opened({1, 9}); // no such vCPU: what the guest reports is a hint
  fixture.watch.gate_opened({2, 0}); // not a guest
  CHECK(fixture.script.boosted.size() == 1);
}

TEST_CASE("however many turns a guest has, its vCPU is boosted once an accounting tick of Xen's") {
  Fixture fixture;
  fixture.script.vcpu.state = monitor::VcpuState::runnable;
  fixture.script.vcpus = 2;
  for (; fixture.now < Time{1s}; fixture.now += 100us) // short calls: ten thousand time slices
    fixture.watch.gate_opened({1, 0});
  CHECK(fixture.script.boosted.size() == 100);
  fixture.now -= 100us;              // within the tick
  fixture.watch.gate_opened({1, 1}); // another vCPU has its own limit
  CHECK(fixture.script.boosted.size() == 101);
  fixture.watch.set_guest(2, 18);
  fixture.watch.gate_opened({2, 0}); // another guest, too
  CHECK(fixture.script.boosted.size() == 102);
  fixture.watch.set_guest(1, 19); // it has rebooted
  fixture.watch.gate_opened({1, 0});
  CHECK(fixture.script.boosted.back() == 19);
  fixture.watch.gate_opened({2, 0});
  CHECK(fixture.script.boosted.size() == 103);
}

TEST_CASE("a Xen without a boost is said to be one, once") {
  Fixture fixture;
  fixture.script.vcpu.state = monitor::VcpuState::runnable;
  std::ostringstream said;
  auto const before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(said)));
  auto const open = [&](xen::Boost answer) {
    fixture.script.answer = answer;
    fixture.now += BoostLimit::pause;
    fixture.watch.gate_opened({1, 0});
  };
  open(xen::Boost::given);
  open(xen::Boost::gone); // not worth a warning
  CHECK(said.str().empty());
  open(xen::Boost::unsupported);
  CHECK_THAT(said.str(), Catch::Contains("only Xen's credit scheduler lets it go first"));
  auto const length = said.str().size();
  open(xen::Boost::unsupported);
  CHECK(said.str().size() == length);
  // it may be moved to another cpupool, so the boost is tried again
  CHECK(fixture.script.boosted.size() == 4);
  spdlog::set_default_logger(before);
}

TEST_CASE("the time until the vCPU runs is measured") {
  Fixture fixture;
  fixture.now = Time{1ms};
  fixture.watch.gate_opened({1, 0});
  fixture.script.vcpu = {.state = monitor::VcpuState::running,
                         .priority = 0,
                         .cpu = 1,
                         .credit = 0,
                         .since = Time{1200us},
                         .updated = Time{1200us},
                         .ran = 0ns};
  fixture.io.run(); // until its last sample
  REQUIRE(fixture.watch.wake_ups(1).latency.count() == 1);
  CHECK(fixture.watch.wake_ups(1).latency.p50_us() == Approx(200).epsilon(0.25));
  fixture.watch.gate_opened({1, 0});
  CHECK(fixture.watch.wake_ups(1).ran_already == 1);
  fixture.watch.reset_statistics();
  CHECK(fixture.watch.wake_ups(1).ran_already == 0);
}

TEST_CASE("of a guest that reboots the old domain is let go of") {
  Fixture fixture;
  fixture.watch.set_guest(1, 17);
  CHECK(fixture.script.forgotten.empty());
  fixture.watch.set_guest(1, 18);
  CHECK(fixture.script.forgotten == std::vector<std::uint32_t>{17});
}

TEST_CASE("a domain that goes is let go of") {
  Fixture fixture;
  fixture.watch.gate_opened({1, 0});
  fixture.watch.forget(1);
  CHECK(fixture.script.forgotten == std::vector<std::uint32_t>{17});
  fixture.io.run(); // the pending sample finds no domain
  CHECK(fixture.watch.wake_ups(1).latency.count() == 0);
}
