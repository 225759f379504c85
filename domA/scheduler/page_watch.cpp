// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/page_watch.h"

#include "domA/scheduler/records.h"
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

void PageWatch::attach(TaskRecord& task, Time now) { task.page = {.sampled_at = now}; }

void PageWatch::detach(TaskRecord& task) {
  std::erase(open_, &task);
  on_host_.erase(&task);
}

void PageWatch::opened(TaskRecord& task) {
  task.page.open = true;
  if (std::exchange(task.page.listed, true)) return;
  open_.insert(std::ranges::lower_bound(open_, task.id, {}, &TaskRecord::id), &task);
}

void PageWatch::closed(TaskRecord& task) { task.page.open = false; }

std::vector<TaskRecord*> PageWatch::news(Time now) {
  std::erase_if(open_, [](TaskRecord* task) {
    task->page.listed = task->page.open;
    return !task->page.open;
  });
  std::vector<TaskRecord*> tasks;
  for (TaskRecord* const task : open_) {
    Page& page = task->page;
    if (page.seen.totals.executing_since || see(*task) != page.seen) {
      tasks.push_back(task);
    } else {
      page.sampled_at = now;
      page.sampled = true;
    }
  }
  return tasks;
}

PageWatch::Reading PageWatch::read(TaskRecord& task, Time now) {
  Page& page = task.page;
  Reading reading{.totals = {}, .since_last = now - page.sampled_at};
  if (std::exchange(page.sampled, false)) reading.unchanged.emplace(page.seen.totals, page.sampled_at);
  bool const was_on_host = page.seen.on_host;
  page.seen = see(task);
  if (page.seen.on_host && !was_on_host) on_host_.insert(&task);
  if (was_on_host && !page.seen.on_host) on_host_.erase(&task);
  page.sampled_at = now;
  reading.totals = page.seen.totals;
  return reading;
}

PageWatch::Seen PageWatch::see(TaskRecord const& task) const {
  gate::UsagePage const& page = *task.usage_page;
  Seen seen{.totals = totals_of(page, clock_at_zero_),
            .vcpu = page.last_vcpu.load(std::memory_order_relaxed)};
  std::uint64_t const began = page.host_call_began_ns.load(std::memory_order_relaxed);
  seen.on_host = cpu_ && began != 0;
  if (seen.on_host) seen.totals.host_busy += since(began, cpu_(task.id).used);
  return seen;
}

void PageWatch::Seen::visit(policies::StateVisitor& state) {
  state.field("totals", totals);
  state.field("vcpu", vcpu);
  state.field("on_host", on_host);
}

void PageWatch::Page::visit(policies::StateVisitor& state) {
  state.field("sampled_at", sampled_at);
  state.field("seen", seen);
  state.field("sampled", sampled);
  state.field("open", open);
  state.field("listed", listed);
}

void PageWatch::restore(Records& records) {
  for (auto& [id, task] : records.tasks()) {
    if (task.page.listed) open_.push_back(&task);
    if (task.page.seen.on_host) on_host_.insert(&task);
  }
}

} // namespace pegasus::scheduler
