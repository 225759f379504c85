// SPDX-License-Identifier: Apache-2.0
#include "monitor/usage_meter.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <map>

using namespace pegasus::monitor;
using namespace std::chrono_literals;
using pegasus::policies::DomainId;
using pegasus::policies::DomainView;
using pegasus::policies::TaskId;

namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

// Keeps the records; events of a task that is not attached are ignored.
class Meter {
public:
  explicit Meter(UsageMeter::Limits const& limits = {}) : meter_(limits) {}

  void set_host_weight(double weight) { meter_.set_host_weight(weight); }
  void attach(TaskId id, DomainId domain, Time now) {
    tasks_[id] = UsageMeter::attach(domains_[domain], now);
    domain_of_[id] = domain;
  }
  void gate_opened(TaskId id, Time now) { UsageMeter::gate_opened(tasks_.at(id), now); }
  void gate_closed(TaskId id, Time now) { meter_.gate_closed(tasks_.at(id), now); }
  void drained(TaskId id, Time now) { meter_.drained(tasks_.at(id), now); }
  void detach(TaskId id, Time now) {
    meter_.detach(tasks_.at(id), now);
    tasks_.erase(id);
  }
  void forget(DomainId id) {
    std::erase_if(tasks_, [&](auto const& task) { return domain_of_.at(task.first) == id; });
    domains_.erase(id);
  }
  void read(TaskId id, TaskTotals const& raw, Time now) {
    if (tasks_.contains(id)) meter_.read(tasks_.at(id), raw, now);
  }
  void charge(TaskId id, Nanos time) { meter_.charge(tasks_.at(id), time); }

  [[nodiscard]] auto const& domains() const { return domains_; }
  [[nodiscard]] DomainUsage domain(DomainId id) const {
    return domains_.contains(id) ? domains_.at(id) : DomainUsage{};
  }
  [[nodiscard]] Nanos device_busy() const { return meter_.device_busy(); }
  [[nodiscard]] Nanos used(TaskId id) const {
    return tasks_.contains(id) ? UsageMeter::used(tasks_.at(id)) : 0ns;
  }

private:
  UsageMeter meter_;
  std::map<DomainId, DomainUsage> domains_;
  std::map<TaskId, UsageMeter::Task> tasks_;
  std::map<TaskId, DomainId> domain_of_;
};

UsageMeter::Limits tight() {
  UsageMeter::Limits limits;
  limits.overrun = 20ms;
  return limits;
}

TaskTotals busy(Nanos time) {
  TaskTotals totals;
  totals.device_busy = time;
  return totals;
}

TaskTotals executing(Time since, Nanos done = 0ms) {
  TaskTotals totals = busy(done);
  totals.waiting = true;
  totals.executing_since = since;
  return totals;
}

} // namespace

TEST_CASE("usage: a domain's totals are the sums over its tasks, also those that are gone") {
  Meter meter;
  for (TaskId const task : {1U, 2U, 3U}) {
    meter.attach(task, task < 3 ? 7 : 8, Time{});
    meter.gate_opened(task, Time{});
  }
  meter.read(1, {5ms, 0ms, 10, 3, 4096, 100, true, Time{10ms}}, Time{10ms});
  meter.read(2, {2ms, 0ms, 20, 4, 1, 50, true}, Time{10ms});
  CHECK(meter.domain(7).device_busy == 7ms);
  CHECK(meter.domain(7).calls == 30);
  CHECK(meter.domain(7).sync_calls == 7);
  CHECK(meter.domain(7).bytes == 4097);
  CHECK(meter.domain(7).memory_bytes == 150);
  CHECK(meter.domain(7).tasks == 2);
  CHECK(meter.domain(7).calls_waiting == 2);
  CHECK(meter.domain(7).on_device == 1);
  CHECK(meter.domain(8).device_busy == 0ms);
  CHECK(meter.used(1) == 5ms);

  meter.detach(1, Time{10ms});
  CHECK(meter.domain(7).device_busy == 7ms);
  CHECK(meter.domain(7).calls == 30);
  CHECK(meter.domain(7).memory_bytes == 50);
  CHECK(meter.domain(7).tasks == 1);
  CHECK(meter.domain(7).on_device == 0);

  meter.forget(7);
  CHECK(meter.domain(7).calls == 0);
  CHECK(meter.domain(99).tasks == 0);
}

TEST_CASE("usage: only growth counts, and only of attached tasks") {
  Meter meter;
  meter.read(1, busy(5ms), Time{10ms});
  CHECK(meter.domains().empty());
  meter.attach(1, 7, Time{10ms});
  meter.gate_opened(1, Time{10ms});
  meter.read(1, busy(5ms), Time{20ms});
  meter.read(1, busy(5ms), Time{30ms});
  CHECK(meter.domain(7).device_busy == 5ms);
  meter.read(1, busy(9ms), Time{40ms});
  CHECK(meter.domain(7).device_busy == 9ms);
}

TEST_CASE("usage: totals never decrease") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, {8ms, 0ms, 10, 10, 10, 0, false}, Time{10ms});
  meter.read(1, {1ms, 0ms, 2, 2, 2, 0, false}, Time{20ms});
  CHECK(meter.domain(7).device_busy == 8ms);
  CHECK(meter.domain(7).calls == 10);
  meter.read(1, {4ms, 0ms, 3, 3, 3, 0, false}, Time{30ms});
  CHECK(meter.domain(7).device_busy == 11ms);
  CHECK(meter.domain(7).calls == 11);
  meter.read(1, busy(-5h), Time{40ms});
  CHECK(meter.domain(7).device_busy == 11ms);
}

TEST_CASE("usage: no more device time than time that passed") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(1h), Time{10ms});
  CHECK(meter.domain(7).device_busy == 10ms);
  meter.read(1, busy(2h), Time{15ms});
  CHECK(meter.domain(7).device_busy == 15ms);
  meter.read(1, busy(Nanos::max()), Time{15ms}); // no time has passed
  CHECK(meter.domain(7).device_busy == 15ms);
}

TEST_CASE("usage: a kernel counts as it passes, and in full when it ends") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  for (int i = 2; i < 18; ++i) {
    meter.read(1, executing(Time{2ms}), Time{i * 1ms});
    CHECK(meter.domain(7).device_busy == (i - 2) * 1ms);
    CHECK(meter.domain(7).booked == 0ms);
  }
  meter.read(1, busy(16ms), Time{18ms});
  CHECK(meter.domain(7).device_busy == 16ms);
  CHECK(meter.domain(7).booked == 16ms);
  meter.read(1, executing(Time{19ms}, 16ms), Time{20ms});
  CHECK(meter.domain(7).device_busy == 17ms);
  meter.read(1, busy(17500us), Time{21ms}); // it ended at 20.5 ms
  CHECK(meter.domain(7).device_busy == 17500us);
}

TEST_CASE("usage: a queue whose work is claimed bit by bit is charged what it claims") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  for (int i = 1; i <= 10; ++i)
    meter.read(1, executing(Time{}, i * 900us), Time{i * 1ms}); // the device had gaps
  CHECK(meter.domain(7).booked == 9ms);
  CHECK(meter.domain(7).device_busy == 10ms); // so far
  meter.read(1, busy(9ms), Time{10ms});
  meter.read(1, executing(Time{11ms}, 9ms), Time{12ms});
  CHECK(meter.domain(7).device_busy == 10ms); // not more
}

TEST_CASE("usage: a task that dies within its work is charged for it") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, executing(Time{3ms}, 2ms), Time{700ms});
  meter.detach(1, Time{700ms});
  CHECK(meter.domain(7).booked == 699ms);
  CHECK(meter.domain(7).device_busy == 699ms);
}

TEST_CASE("usage: a task that was told to stop is charged until it has, whatever it claims") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(4ms), Time{10ms});
  meter.gate_closed(1, Time{10ms});
  SECTION("it claims nothing") {
    meter.read(1, busy(4ms), Time{310ms});
    CHECK(meter.domain(7).device_busy == 4ms); // it may have waited for others
    meter.drained(1, Time{310ms});
  }
  SECTION("it claims its kernel, which began before") {
    meter.read(1, busy(308ms), Time{310ms});
    meter.drained(1, Time{310ms});
    CHECK(meter.domain(7).device_busy == 308ms);
    return;
  }
  SECTION("it claims less than it held") {
    meter.read(1, busy(10ms), Time{310ms});
    meter.drained(1, Time{310ms});
  }
  SECTION("it dies") {
    meter.read(1, executing(Time{8ms}, 4ms), Time{308ms});
    meter.detach(1, Time{308ms});
    CHECK(meter.domain(7).device_busy == 304ms);
    return;
  }
  CHECK(meter.domain(7).booked == 304ms);
}

TEST_CASE("usage: a task that was told to stop is not charged for another's work that it waited for") {
  Meter meter;
  for (TaskId const task : {1U, 2U}) {
    meter.attach(task, task == TaskId{1U} ? 1 : 2, Time{});
    meter.gate_opened(task, Time{});
  }
  meter.read(2, executing(Time{0ms}), Time{10ms}); // task 1's kernel waits behind this one
  meter.gate_closed(1, Time{10ms});
  meter.read(2, busy(14ms), Time{20ms});
  meter.read(1, busy(4ms), Time{20ms});
  meter.drained(1, Time{20ms});
  CHECK(meter.domain(1).device_busy == 6ms); // from 10 to 20 ms, but for 4 ms
  CHECK(meter.domain(2).device_busy == 14ms);
}

TEST_CASE("usage: host time counts beside device time, no more of it than passed, and not twice in a drain") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  TaskTotals totals = busy(3ms);
  totals.host_busy = 6ms;
  meter.read(1, totals, Time{10ms});
  CHECK(meter.domain(7).host_busy == 6ms);
  CHECK(meter.domain(7).device_busy == 3ms);
  CHECK(meter.used(1) == 9ms);
  meter.gate_closed(1, Time{10ms});
  totals.host_busy = 10ms;
  meter.read(1, totals, Time{15ms});
  meter.drained(1, Time{15ms});
  CHECK(meter.used(1) == 14ms);
  totals.host_busy = 1h;
  meter.read(1, totals, Time{20ms});
  CHECK(meter.domain(7).host_busy == 20ms);
}

TEST_CASE("usage: a long call on the host that is claimed at its end counts in full") {
  Meter meter;
  meter.attach(1, 7, Time{});
  TaskTotals totals;
  for (Time now{10ms}; now < Time{5s}; now += 10ms)
    meter.read(1, totals, now);
  totals.host_busy = 4s;
  meter.read(1, totals, Time{5s});
  CHECK(meter.domain(7).host_busy == 4s);
  totals.host_busy = 9s;
  meter.read(1, totals, Time{6s});
  CHECK(meter.domain(7).host_busy == 6s);
}

TEST_CASE("usage: what was charged for holding the device cannot be claimed again") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(0ms), Time{10ms});
  meter.gate_closed(1, Time{10ms});
  meter.read(1, busy(0ms), Time{40ms});
  meter.drained(1, Time{40ms});
  CHECK(meter.domain(7).device_busy == 30ms);
  meter.read(1, busy(30ms), Time{40ms});
  CHECK(meter.domain(7).device_busy == 30ms);
}

TEST_CASE("usage: no more device time than the gate was open, plus one kernel") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.read(1, busy(0ms), Time{1s});
  meter.read(1, busy(500ms), Time{2s}); // the gate was never open
  CHECK(meter.domain(7).device_busy == 0ms);
  meter.gate_opened(1, Time{2s});
  meter.read(1, busy(2s), Time{2010ms});
  CHECK(meter.domain(7).device_busy == 30ms);
  meter.gate_closed(1, Time{2010ms});
  meter.drained(1, Time{2010ms});
  meter.read(1, busy(3s), Time{4s});
  CHECK(meter.domain(7).device_busy == 30ms);
}

TEST_CASE("usage: absurd claims saturate") {
  Meter meter;
  for (TaskId const task : {1U, 2U, 3U}) {
    meter.attach(task, 7, Time{});
    meter.gate_opened(task, Time{});
    meter.read(task, {Nanos::max(), 0ms, huge, huge, huge, huge, true, Time::min()}, Time{1s});
    meter.read(task, {Nanos::min(), 0ms, 0, 0, 0, huge, true, Time::max()}, Time{2s});
    meter.read(task, {Nanos::max(), 0ms, huge, huge, huge, huge, true, Time{}}, Time{Nanos::max() / 2});
  }
  CHECK(meter.domain(7).memory_bytes == 3ULL << 48);
  CHECK(meter.domain(7).device_busy > 1h);
  CHECK(meter.domain(7).calls > 0);
  meter.read(1, busy(0ms), Time{-1h}); // a clock that runs backwards is ignored
  CHECK(meter.domain(7).calls > 0);
}

TEST_CASE("usage: claims faster than any machine are dropped") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.read(1, {0ms, 0ms, huge, huge, huge, 0, false}, Time{1ms});
  CHECK(meter.domain(7).calls == 100'000);
  CHECK(meter.domain(7).sync_calls == 100'000);
  CHECK(meter.domain(7).bytes == 1'000'000'000);
}

TEST_CASE("usage: the rate of synchronous calls is that of the time with the gate open") {
  Meter meter;
  meter.attach(1, 7, Time{});
  TaskTotals totals;
  Time now{0ms};
  for (int i = 0; i < 100; ++i) { // 2 calls a millisecond while it is served, which is a third of the time
    meter.gate_opened(1, now);
    totals.sync_calls += 20;
    meter.read(1, totals, now += 10ms);
    meter.gate_closed(1, now);
    meter.drained(1, now);
    meter.read(1, totals, now += 20ms);
  }
  CHECK(meter.domain(7).sync_call_rate == Approx(2000).epsilon(0.01));
  meter.gate_opened(1, now);
  meter.read(1, totals, now += 100ms); // one half-life
  CHECK(meter.domain(7).sync_call_rate == Approx(1000).epsilon(0.01));
  meter.detach(1, now);
  CHECK(meter.domain(7).sync_call_rate == 0);
}

TEST_CASE("usage: host time is charged with the weight that it had then") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  TaskTotals totals;
  totals.host_busy = 4ms;
  meter.read(1, totals, Time{10ms});
  meter.set_host_weight(0.5);
  totals.host_busy = 8ms;
  meter.read(1, totals, Time{20ms});
  CHECK(meter.domain(7).host_busy == 8ms);
  CHECK(meter.domain(7).host_charged == 6ms);
  CHECK(meter.used(1) == 6ms);
}

TEST_CASE("usage: requests that wait are those of tasks that do, and no more than a call buffer holds") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.attach(2, 7, Time{});
  TaskTotals totals;
  totals.waiting = true;
  totals.requests_waiting = 5;
  meter.read(1, totals, Time{1ms});
  totals.requests_waiting = 4'000'000'000;
  meter.read(2, totals, Time{1ms});
  CHECK(meter.domain(7).requests_waiting == 5 + 4096);
  meter.detach(2, Time{1ms});
  CHECK(meter.domain(7).requests_waiting == 5);
  totals.waiting = false;
  meter.read(1, totals, Time{2ms});
  CHECK(meter.domain(7).requests_waiting == 0);
}

TEST_CASE("usage: the device's whole time outlives the domains that used it") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.attach(2, 8, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(5ms), Time{10ms});
  meter.gate_closed(1, Time{10ms});
  meter.drained(1, Time{10ms});
  meter.gate_opened(2, Time{10ms});
  meter.read(2, busy(3ms), Time{20ms});
  CHECK(meter.device_busy() == 8ms);
  meter.forget(7);
  CHECK(meter.device_busy() == 8ms);
}
