// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/engine_watch.h"

#include <algorithm>
#include <utility>

namespace pegasus::daemon {
namespace {

// 0: it does not say that it executes.
EngineWatch::Time executes_for(gate::UsagePage const& usage, EngineWatch::Time now) {
  auto const since = usage.executing_since_ns.load();
  auto const ns = static_cast<std::uint64_t>(now.count());
  return since == 0 || since > ns ? EngineWatch::Time{0} : EngineWatch::Time(ns - since);
}

} // namespace

EngineWatch::EngineWatch(boost::asio::io_context& io, software::EnginePage& page, Setup setup)
    : timer_(io), page_(page), setup_(std::move(setup)) {}

void EngineWatch::tasks_changed(std::size_t tasks) {
  bool const wanted = tasks > 1;
  if (wanted == watching_) return;
  watching_ = wanted;
  progress_.clear();
  if (wanted)
    look_later();
  else
    timer_.cancel();
}

void EngineWatch::look_later() {
  timer_.expires_after(setup_.period);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) look();
  });
}

EngineWatch::Time EngineWatch::stuck(Task const& task, Time now) {
  std::uint64_t const done = task.usage->calls.load() + task.usage->device_busy_ns.load();
  Progress& seen = progress_.try_emplace(task.seat, Progress{done, now}).first->second;
  bool const waits = task.usage->activity.load() == gate::Activity::running &&
                     task.usage->executing_since_ns.load() == 0 && seen.done == done;
  if (!waits) seen = {done, now};
  return now - seen.since;
}

void EngineWatch::look() {
  Time const now = std::chrono::steady_clock::now().time_since_epoch();
  std::vector<Task> const tasks = setup_.tasks();
  std::erase_if(progress_, [&](auto const& entry) {
    return std::ranges::find(tasks, entry.first, &Task::seat) == tasks.end();
  });
  std::vector<Task const*> waiting;
  Time longest_wait{0}, longest_hold{0};
  Task const* holder = nullptr;
  for (Task const& task : tasks) {
    if (Time const wait = stuck(task, now); wait > Time{0}) {
      waiting.push_back(&task);
      longest_wait = std::max(longest_wait, wait);
    }
    if (Time const held = executes_for(*task.usage, now); held > longest_hold) {
      longest_hold = held;
      holder = &task;
    }
  }
  bool const strangers = std::ranges::any_of(
      waiting, [&](Task const* task) { return holder == nullptr || task->domain != holder->domain; });
  if (holder != nullptr && longest_hold > setup_.limit) {
    if (strangers) setup_.give_up(holder->seat);
  } else if (longest_wait > setup_.limit && software::owner(page_) != software::no_seat) {
    (void)software::evict(page_, software::owner(page_));
  }
  if (watching_) look_later();
}

} // namespace pegasus::daemon
