// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/engine_watchdog.h"

#include <algorithm>
#include <utility>

namespace pegasus::daemon {

EngineWatchdog::EngineWatchdog(boost::asio::io_context& io, shared::EnginePage& page, Setup setup)
    : timer_(io), page_(page), setup_(std::move(setup)) {}

void EngineWatchdog::tasks_changed(std::size_t tasks) {
  bool const wanted = tasks > 1;
  if (wanted == watching_) return;
  watching_ = wanted;
  progress_.clear();
  if (wanted)
    sample_later();
  else
    timer_.cancel();
}

void EngineWatchdog::sample_later() {
  timer_.expires_after(setup_.period);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) sample();
  });
}

EngineWatchdog::Nanos EngineWatchdog::waits(Task const& task, Nanos now) {
  std::uint64_t const done = task.usage->calls.load() + task.usage->device_busy_ns.load();
  Progress& seen = progress_.try_emplace(task.slot, Progress{done, now}).first->second;
  bool const waiting = task.usage->activity.load() == gate::Activity::running &&
                       task.usage->executing_since_ns.load() == 0 && seen.done == done;
  if (!waiting) seen = {done, now};
  return now - seen.since;
}

void EngineWatchdog::sample() {
  Nanos const now = std::chrono::steady_clock::now().time_since_epoch();
  Nanos longest{0};
  std::map<std::uint32_t, Progress> const before = std::exchange(progress_, {});
  for (Task const& task : setup_.tasks()) {
    if (auto const known = before.find(task.slot); known != before.end()) progress_.insert(*known);
    longest = std::max(longest, waits(task, now));
  }
  if (std::uint32_t const owner = shared::owner(page_); longest > setup_.limit && owner != shared::no_slot) {
    (void)shared::evict(page_, owner);
    progress_.clear(); // the next one only after an equal wait
  }
  if (watching_) sample_later();
}

} // namespace pegasus::daemon
