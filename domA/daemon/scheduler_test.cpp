// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/scheduler.h"

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace pegasus;
using namespace pegasus::daemon;
using namespace std::chrono_literals;

namespace {

// A worker's side of the pages, and its bell.
struct Worker {
  gate::GatePage gate{};
  gate::UsagePage usage{};
  [[nodiscard]] bool open() const { return (gate.word.load() & gate::word_open) != 0; }
  [[nodiscard]] bool told_to_wake() const { return (gate.word.load() & gate::word_wake) != 0; }
};

struct Bench {
  boost::asio::io_context io{1};
  std::vector<std::pair<DomainId, std::uint32_t>> woken;
  bool work = false;
  Scheduler scheduler;
  Worker a, b;

  explicit Bench(std::string_view policy)
      : scheduler(io,
                  {.policy = policies::find(policy),
                   .tunables = {.tick = 1s}, // no turn ends by itself here
                   .runaway = 10s,
                   .give_up = [](TaskId) {},
                   .on_device = [] { return TaskId{99}; },
                   .cpu_schedule = [](policies::DomainView&, Time) { return Nanos{0}; },
                   .woken = [this](DomainId domain, std::uint32_t vcpu) { woken.emplace_back(domain, vcpu); },
                   .work = [this](bool there_is) { work = there_is; }}) {
    scheduler.set_domain(10, {});
    scheduler.set_domain(20, {.slo = 0.5});
    scheduler.attach(1, 10, a.gate, a.usage);
    scheduler.attach(2, 20, b.gate, b.usage);
  }
  // The worker changed its state and rang; a scheduling point follows.
  void becomes(Worker& worker, gate::Activity activity) {
    worker.usage.activity = activity;
    if (!worker.open()) worker.usage.obeyed = worker.gate.word.load();
    std::uint64_t const ring = 1;
    REQUIRE(write(scheduler.bell_fd(), &ring, sizeof ring) == sizeof ring);
    wait(10ms);
  }
  void wait(Nanos span) {
    io.restart();
    io.run_for(span);
  }
};

} // namespace

TEST_CASE("the gate of who has calls opens, and in its turn the other's") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.open());
  CHECK(bench.scheduler.running(10));
  CHECK(bench.work);
  bench.becomes(bench.b, gate::Activity::waiting);
  CHECK_FALSE(bench.b.open());
  bench.becomes(bench.a, gate::Activity::idle);
  CHECK(bench.b.open());
  CHECK_FALSE(bench.a.open());
  CHECK(bench.woken.empty());
  bench.becomes(bench.b, gate::Activity::idle);
  CHECK_FALSE(bench.work);
}

TEST_CASE(
    "an interactive domain is woken when its gate opens: by its worker, and on the vCPU it called from") {
  Bench bench("fair");
  bench.a.usage.last_vcpu = 3;
  bench.wait(20ms);
  bench.a.usage.sync_calls = 1'000; // 50,000 a second
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.told_to_wake());
  CHECK(bench.woken == std::vector<std::pair<DomainId, std::uint32_t>>{{10, 3}});
  bench.becomes(bench.a, gate::Activity::idle);
  bench.becomes(bench.b, gate::Activity::waiting); // makes few calls
  CHECK(bench.b.open());
  CHECK_FALSE(bench.b.told_to_wake());
  CHECK(bench.woken.size() == 1);
}

TEST_CASE("waiting at a closed gate is counted") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(5ms);
  bench.scheduler.bring_up_to_date();
  CHECK(bench.scheduler.service(20).waited >= 4ms);
  CHECK(bench.scheduler.service(10).waited < 4ms);
  bench.scheduler.reset_statistics();
  CHECK(bench.scheduler.service(20).waited < 1ms);
}
