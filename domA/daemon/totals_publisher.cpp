// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/totals_publisher.h"

#include <algorithm>

namespace pegasus::daemon {

namespace {

std::vector<pegasus_task_total> totals_of(TotalsPublisher::Tasks const& tasks) {
  std::vector<pegasus_task_total> totals;
  for (auto const& [id, task] : tasks) {
    auto const used = task.scheduler->task_usage(id);
    totals.push_back({.task = id,
                      .process = task.process,
                      .device_ns = static_cast<std::uint64_t>(used.device_busy.count()),
                      .calling = used.waiting ? 1u : 0u,
                      .reserved = {}});
  }
  return totals;
}

} // namespace

void TotalsPublisher::detach(policies::TaskId id, policies::DomainId domain) {
  auto const tasks = tasks_.find(domain);
  if (tasks == tasks_.end()) return;
  tasks->second.erase(id);
  if (tasks->second.empty()) tasks_.erase(tasks);
}

void TotalsPublisher::observe(std::uint32_t observer, policies::DomainId domain, pegasus_totals& pages) {
  observers_.emplace(observer, Observer{domain, guests::TotalsPage(pages)});
  publish();
}

void TotalsPublisher::leave(std::uint32_t observer) {
  observers_.erase(observer);
  if (observers_.empty()) timer_.cancel();
}

void TotalsPublisher::publish() {
  std::map<policies::DomainId, std::vector<pegasus_task_total>> totals;
  for (auto& [number, observer] : observers_) {
    auto const [of_domain, is_new] = totals.try_emplace(observer.domain);
    auto const tasks = tasks_.find(observer.domain);
    if (is_new && tasks != tasks_.end()) of_domain->second = totals_of(tasks->second);
    observer.page.write(of_domain->second);
  }
  std::size_t tasks = 0;
  bool busy = false;
  for (auto const& [domain, of_domain] : totals) {
    tasks += of_domain.size();
    busy |= std::ranges::any_of(of_domain, [](auto const& task) { return task.calling != 0; });
  }
  timer_.expires_after(std::max<std::chrono::microseconds>(busy ? busy_interval : idle_interval,
                                                           interval_per_task * static_cast<int>(tasks)));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error && !observers_.empty()) publish();
  });
}

} // namespace pegasus::daemon
