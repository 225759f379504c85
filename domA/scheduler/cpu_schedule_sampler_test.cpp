// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/cpu_schedule_sampler.h"

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
  xen::Boost boost(std::uint32_t domain, std::uint32_t) override {
    script_.boosted.push_back(domain);
    return script_.answer;
  }
  void forget(std::uint32_t domain) override { script_.forgotten.push_back(domain); }
  std::string_view source() const override { return "a script"; }

private:
  Script& script_;
};

struct Bench {
  boost::asio::io_context io{1};
  Script script;
  std::vector<Caller> on_device;
  Time now{};
  CpuScheduleSampler watch{io, {.on_device = [this] { return on_device; }, .now = [this] { return now; }}};

  Bench() {
    watch.use(std::make_unique<ScriptedSchedule>(script));
    watch.set_guest(1, 17); // domain 17 of Xen
  }
  policies::DomainView filled(DomainId id, std::uint32_t vcpu = calling) {
    policies::DomainView view;
    view.id = id;
    view.calling_vcpu = vcpu;
    watch.fill(view, now);
    return view;
  }
};

} // namespace

TEST_CASE("a guest's CPU side comes from the hypervisor, a local domain's from its processes") {
  Bench bench;
  bench.script.running = true;
  CHECK(bench.filled(1).running_on_cpu);
  CHECK(bench.filled(1).on_cpu_since == Time{5ms});
  CHECK(bench.filled(1).blocked_since == Time{3ms});
  CHECK(bench.filled(1).cpu_credit_left == 7ms);
  CHECK(bench.filled(1).cpu_weight == 512);
  CHECK_FALSE(bench.filled(1, 0).running_on_cpu); // another of its vCPUs does
  CHECK(bench.filled(1, 0).cpu_credit_left == 0ms);
  CHECK(bench.filled(1, 0).cpu_weight == 512);
  bench.watch.attach(2, getpid()); // this process runs
  CHECK(bench.filled(2).running_on_cpu);
  CHECK(bench.filled(2).cpu_weight == policies::default_credits);
  CHECK_FALSE(bench.filled(3).running_on_cpu); // unknown domain
}

TEST_CASE("while there is work it samples whose work is on the device, and whether it is on a CPU") {
  Bench bench;
  bench.on_device = {{1, calling}};
  bench.io.run_for(50ms);
  CHECK(bench.watch.overlap(1).samples == 0);
  bench.watch.work(true);
  bench.script.running = true;
  bench.io.restart();
  bench.io.run_for(100ms);
  auto const running = bench.watch.overlap(1);
  CHECK(running.samples > 0);
  CHECK(running.on_cpu == running.samples);
  bench.script.running = false;
  bench.io.run_for(100ms);
  CHECK(bench.watch.overlap(1).samples > running.samples);
  CHECK(bench.watch.overlap(1).on_cpu == running.on_cpu);
  bench.watch.work(false);
  bench.io.run(); // returns: nothing is pending
}

TEST_CASE("a vCPU that waits for a pCPU is boosted, a blocked one is left to its event") {
  Bench bench;
  bench.watch.gate_opened({1, 0});
  CHECK(bench.script.boosted.empty());
  bench.script.vcpu.state = monitor::VcpuState::runnable;
  bench.watch.gate_opened({1, 0});
  CHECK(bench.script.boosted == std::vector<std::uint32_t>{17});
  bench.watch.gate_opened({1, 9}); // no such vCPU: what the guest reports is a hint
  bench.watch.gate_opened({2, 0}); // not a guest
  CHECK(bench.script.boosted.size() == 1);
}

TEST_CASE("however many turns a guest has, its vCPU is boosted once an accounting tick of Xen's") {
  Bench bench;
  bench.script.vcpu.state = monitor::VcpuState::runnable;
  bench.script.vcpus = 2;
  for (; bench.now < Time{1s}; bench.now += 100us) // short calls: ten thousand time slices
    bench.watch.gate_opened({1, 0});
  CHECK(bench.script.boosted.size() == 100);
  bench.now -= 100us;              // within the tick
  bench.watch.gate_opened({1, 1}); // another vCPU has its own limit
  CHECK(bench.script.boosted.size() == 101);
  bench.watch.set_guest(2, 18);
  bench.watch.gate_opened({2, 0}); // another guest, too
  CHECK(bench.script.boosted.size() == 102);
  bench.watch.set_guest(1, 19); // it has rebooted
  bench.watch.gate_opened({1, 0});
  CHECK(bench.script.boosted.back() == 19);
  bench.watch.gate_opened({2, 0});
  CHECK(bench.script.boosted.size() == 103);
}

TEST_CASE("a Xen without a boost is said to be one, once") {
  Bench bench;
  bench.script.vcpu.state = monitor::VcpuState::runnable;
  std::ostringstream said;
  auto const before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(said)));
  auto const open = [&](xen::Boost answer) {
    bench.script.answer = answer;
    bench.now += BoostLimit::pause;
    bench.watch.gate_opened({1, 0});
  };
  open(xen::Boost::given);
  open(xen::Boost::gone); // not worth a warning
  CHECK(said.str().empty());
  open(xen::Boost::unsupported);
  CHECK_THAT(said.str(), Catch::Contains("SCHEDOP_remote_boost"));
  auto const length = said.str().size();
  open(xen::Boost::unsupported);
  CHECK(said.str().size() == length);
  CHECK(bench.script.boosted.size() == 4); // it may be moved to another cpupool, so the boost is tried again
  spdlog::set_default_logger(before);
}

TEST_CASE("the time until the vCPU runs is measured") {
  Bench bench;
  bench.now = Time{1ms};
  bench.watch.gate_opened({1, 0});
  bench.script.vcpu = {.state = monitor::VcpuState::running,
                       .priority = 0,
                       .cpu = 1,
                       .credit = 0,
                       .since = Time{1200us},
                       .updated = Time{1200us},
                       .ran = 0ns};
  bench.io.run(); // until its last look
  REQUIRE(bench.watch.wake_ups(1).latency.count() == 1);
  CHECK(bench.watch.wake_ups(1).latency.p50_us() == Approx(200).epsilon(0.25));
  bench.watch.gate_opened({1, 0});
  CHECK(bench.watch.wake_ups(1).ran_already == 1);
  bench.watch.reset_statistics();
  CHECK(bench.watch.wake_ups(1).ran_already == 0);
}

TEST_CASE("of a guest that reboots the old domain is let go of") {
  Bench bench;
  bench.watch.set_guest(1, 17);
  CHECK(bench.script.forgotten.empty());
  bench.watch.set_guest(1, 18);
  CHECK(bench.script.forgotten == std::vector<std::uint32_t>{17});
}

TEST_CASE("a domain that goes is let go of") {
  Bench bench;
  bench.watch.gate_opened({1, 0});
  bench.watch.forget(1);
  CHECK(bench.script.forgotten == std::vector<std::uint32_t>{17});
  bench.io.run(); // the pending look finds no domain
  CHECK(bench.watch.wake_ups(1).latency.count() == 0);
}
