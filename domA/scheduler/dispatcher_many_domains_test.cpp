// SPDX-License-Identifier: Apache-2.0
// The dispatcher with a thousand domains that share the device: a point's cost grows with the domains
// that have news.
#include "domA/scheduler/testing/two_domains.h"
#include "policies/none.h"

#include <catch2/catch.hpp>

#include <memory>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

namespace {

constexpr std::uint32_t count = 1000;

// The positions that the last View reported as changed; nullopt: all.
std::optional<std::vector<std::uint32_t>> reported;

class Recorder final : public policies::Policy {
public:
  explicit Recorder(policies::Tunables const& tunables) : none_(tunables) {}
  [[nodiscard]] policies::Decision decide(policies::View const& view) override {
    reported.reset();
    if (view.changed) reported.emplace(view.changed->begin(), view.changed->end());
    return none_.decide(view);
  }

private:
  policies::None none_;
};

policies::Entry recording() {
  policies::Entry entry = *policies::find("none");
  entry.make = [](policies::Tunables const& tunables) -> std::unique_ptr<policies::Policy> {
    return std::make_unique<Recorder>(tunables);
  };
  return entry;
}

// Domain and task n + 1 at n; each makes synchronous calls, and has called just now.
struct ManyDomains {
  policies::Entry entry = recording();
  Time now{1s};
  Dispatcher dispatcher{{.policy = &entry, .tunables = {.tick = 10ms}, .runaway = 1s}};
  std::unique_ptr<Worker[]> workers = std::make_unique<Worker[]>(count);

  ManyDomains() {
    for (std::uint32_t i = 0; i < count; ++i) {
      dispatcher.set_domain(i + 1, {});
      dispatcher.attach(i + 1, i + 1, workers[i].gate, workers[i].usage, now);
    }
    point();
    for (std::uint32_t i = 0; i < count; ++i) {
      workers[i].usage.activity = gate::Activity::running;
      workers[i].usage.calls = workers[i].usage.sync_calls = 10;
      workers[i].usage.device_busy_ns = 1000;
    }
    now += 10ms;
    point();
  }
  void point() { (void)dispatcher.point(now); }
};

} // namespace

TEST_CASE("a point reports only the domains whose workers did something") {
  ManyDomains host;
  REQUIRE(reported);
  CHECK(reported->size() == count);
  host.now += GENERATE(100us, 5ms); // less and more than the time between two samples at all pages
  host.workers[700].usage.activity = gate::Activity::idle;
  host.workers[700].usage.calls = 11;
  host.dispatcher.kicked(701);
  host.point();
  CHECK(reported == std::vector<std::uint32_t>{700});
  host.now += 5ms;
  host.point();
  REQUIRE(reported);
  CHECK(reported->empty());
}

TEST_CASE("a domain that nothing happened to is still seen to want the device") {
  ManyDomains host;
  Nanos const before = host.dispatcher.service(5).wanted;
  for (int i = 0; i < 100; ++i) {
    host.now += 5ms;
    host.point();
  }
  CHECK(host.dispatcher.service(5).wanted - before == 500ms);
}

TEST_CASE(
    "a worker whose page did not change for long cannot claim more than one that was read all the time") {
  ManyDomains host;
  for (int i = 0; i < 100; ++i) {
    host.now += 100ms;
    host.point();
  }
  Nanos const before = host.dispatcher.task_usage(1, host.now).device_busy;
  host.now += 5ms;
  host.workers[0].usage.device_busy_ns += 20'000'000'000;
  CHECK(host.dispatcher.task_usage(1, host.now).device_busy - before == 1s + 5ms);
}
