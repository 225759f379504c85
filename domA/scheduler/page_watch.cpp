// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/page_watch.h"

#include "domA/scheduler/usage_reading.h"

#include <algorithm>

namespace pegasus::scheduler {
namespace {

// `began` is what a worker says.
Nanos since(std::uint64_t began, Nanos now) {
  auto const used = static_cast<std::uint64_t>(now.count());
  return Nanos(static_cast<std::int64_t>(used - std::min(began, used)));
}

} // namespace

void PageWatch::attach(TaskId task, gate::UsagePage const& page, Time now) {
  detach(task);
  pages_.emplace(task, Page{.page = &page, .sampled_at = now});
}

void PageWatch::detach(TaskId task) {
  std::erase_if(open_, [task](auto const& listed) { return listed.first == task; });
  pages_.erase(task);
  on_host_.erase(task);
}

void PageWatch::opened(TaskId task) {
  Page& page = pages_.at(task);
  page.open = true;
  if (std::exchange(page.listed, true)) return;
  auto const at = std::ranges::lower_bound(open_, task, {}, &decltype(open_)::value_type::first);
  open_.insert(at, {task, &page});
}

void PageWatch::closed(TaskId task) { pages_.at(task).open = false; }

std::vector<TaskId> PageWatch::news(Time now) {
  std::erase_if(open_, [](auto const& listed) {
    bool const open = listed.second->open;
    listed.second->listed = open;
    return !open;
  });
  std::vector<TaskId> tasks;
  for (auto const& [task, page] : open_) {
    if (page->seen.totals.executing_since || see(task, *page->page) != page->seen) {
      tasks.push_back(task);
    } else {
      page->sampled_at = now;
      page->sampled = true;
    }
  }
  return tasks;
}

PageWatch::Reading PageWatch::read(TaskId task, Time now) {
  Page& page = pages_.at(task);
  Reading reading{.totals = {}, .since_last = now - page.sampled_at};
  if (std::exchange(page.sampled, false)) reading.unchanged.emplace(page.seen.totals, page.sampled_at);
  page.seen = see(task, *page.page);
  if (page.seen.on_host)
    on_host_.insert(task);
  else
    on_host_.erase(task);
  page.sampled_at = now;
  reading.totals = page.seen.totals;
  return reading;
}

PageWatch::Seen PageWatch::see(TaskId task, gate::UsagePage const& page) const {
  Seen seen{.totals = totals_of(page, clock_at_zero_),
            .vcpu = page.last_vcpu.load(std::memory_order_relaxed)};
  std::uint64_t const began = page.host_call_began_ns.load(std::memory_order_relaxed);
  seen.on_host = cpu_ && began != 0;
  if (seen.on_host) seen.totals.host_busy += since(began, cpu_(task).used);
  return seen;
}

} // namespace pegasus::scheduler
