// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/page_watch.h"

#include "domA/scheduler/records.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr Time start{1s};
constexpr TaskId count = 1000;

// With the records of its tasks.
class Watch : public PageWatch {
public:
  using PageWatch::PageWatch;
  void attach(TaskId id, gate::UsagePage const& page, Time now) {
    TaskRecord& task = tasks_[id];
    task.id = id;
    task.usage_page = &page;
    PageWatch::attach(task, now);
  }
  void detach(TaskId id) {
    PageWatch::detach(tasks_.at(id));
    tasks_.erase(id);
  }
  void opened(TaskId id) { PageWatch::opened(tasks_.at(id)); }
  void closed(TaskId id) { PageWatch::closed(tasks_.at(id)); }
  std::vector<TaskId> news(Time now) { return ids(PageWatch::news(now)); }
  [[nodiscard]] std::vector<TaskId> on_host() const { return ids(PageWatch::on_host()); }
  Reading read(TaskId id, Time now) { return PageWatch::read(tasks_.at(id), now); }

private:
  static std::vector<TaskId> ids(auto const& tasks) {
    std::vector<TaskId> all;
    for (TaskRecord const* const task : tasks)
      all.push_back(task->id);
    return all;
  }
  std::map<TaskId, TaskRecord> tasks_;
};

// A thousand tasks with open gates whose pages have been read.
struct Fixture {
  std::unique_ptr<gate::UsagePage[]> pages = std::make_unique<gate::UsagePage[]>(count);
  Watch watch{0ns};

  Fixture() {
    for (TaskId task = 0; task < count; ++task) {
      watch.attach(task, pages[task], start);
      watch.opened(task);
      (void)watch.read(task, start);
    }
  }
};

} // namespace

TEST_CASE("of a thousand pages only those that have changed are to be read") {
  Fixture fixture;
  CHECK(fixture.watch.news(start + 1ms).empty());
  fixture.pages[7].device_busy_ns = 100;
  fixture.pages[9].last_vcpu = 3;
  fixture.pages[11].activity = gate::Activity::running;
  CHECK(fixture.watch.news(start + 2ms) == std::vector<TaskId>{7, 9, 11});
  for (TaskId const task : {7U, 9U, 11U})
    (void)fixture.watch.read(task, start + 2ms);
  CHECK(fixture.watch.news(start + 3ms).empty());
}

TEST_CASE("a task is to be read while its work executes, and once more when that has ended") {
  Fixture fixture;
  fixture.pages[5].executing_since_ns = 1'000'000'000;
  for (int look = 1; look <= 3; ++look) {
    CHECK(fixture.watch.news(start + look * 1ms) == std::vector<TaskId>{5});
    (void)fixture.watch.read(5, start + look * 1ms);
  }
  fixture.pages[5].executing_since_ns = 0;
  CHECK(fixture.watch.news(start + 4ms) == std::vector<TaskId>{5});
  (void)fixture.watch.read(5, start + 4ms);
  CHECK(fixture.watch.news(start + 5ms).empty());
}

TEST_CASE("a reading says until when the page was unchanged") {
  Fixture fixture;
  fixture.pages[5].calls = 3;
  (void)fixture.watch.read(5, start + 1ms);
  CHECK(fixture.watch.news(start + 2ms).empty());
  CHECK(fixture.watch.news(start + 4ms).empty());
  fixture.pages[5].calls = 4;
  PageWatch::Reading const reading = fixture.watch.read(5, start + 5ms);
  CHECK(reading.totals.calls == 4);
  CHECK(reading.since_last == 1ms);
  REQUIRE(reading.unchanged);
  CHECK(reading.unchanged->first.calls == 3);
  CHECK(reading.unchanged->second == start + 4ms);
  CHECK_FALSE(fixture.watch.read(5, start + 6ms).unchanged);
}

TEST_CASE("the pages of closed gates and of tasks that left are not looked at") {
  Fixture fixture;
  for (TaskId const task : {5U, 6U, 7U})
    fixture.pages[task].calls = 1;
  fixture.watch.closed(5);
  fixture.watch.detach(6);
  CHECK(fixture.watch.news(start + 1ms) == std::vector<TaskId>{7});
  CHECK(fixture.watch.read(5, start + 1ms).totals.calls == 1);
  fixture.watch.opened(5);
  CHECK(fixture.watch.news(start + 2ms) == std::vector<TaskId>{7});
  fixture.watch.closed(5);
  fixture.watch.opened(5); // before it is looked at
  fixture.pages[5].calls = 2;
  CHECK(fixture.watch.news(start + 3ms) == std::vector<TaskId>{5, 7});
}

TEST_CASE("a call that computes on the host counts while it goes on, and once") {
  gate::UsagePage page{};
  CpuTimes cpu{.used = 5ms};
  Watch watch(0ns, [&](TaskId) { return cpu; });
  watch.attach(1, page, start);
  auto const host = [&] { return watch.read(1, start).totals.host_busy; };
  page.host_busy_ns = 1'000'000;
  CHECK(host() == 1ms);
  CHECK(watch.on_host().empty());
  page.host_call_began_ns = 5'000'000;
  cpu.used = 25ms;
  CHECK(host() == 21ms);
  CHECK(watch.on_host() == std::vector<TaskId>{1});
  cpu.used = 45ms;
  CHECK(host() == 41ms);
  cpu = {}; // its process has ended
  CHECK(host() == 1ms);
  page.host_call_began_ns = 0;
  page.host_busy_ns = 41'000'000;
  CHECK(host() == 41ms);
  CHECK(watch.on_host().empty());
}
