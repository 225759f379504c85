// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/totals_page.h"

#include <algorithm>
#include <atomic>

namespace pegasus::guests {

void initialize_totals(pegasus_totals& pages, std::uint32_t version) {
  pages.magic = PEGASUS_TOTALS_MAGIC;
  pages.version = version;
}

void TotalsPage::write(std::span<pegasus_task_total const> tasks) {
  std::atomic_ref sequence(pages_->sequence);
  sequence.store(++sequence_, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::size_t const listed = std::min<std::size_t>(tasks.size(), PEGASUS_TOTALS_TASKS);
  pages_->tasks = static_cast<std::uint32_t>(listed);
  pages_->unlisted = static_cast<std::uint32_t>(tasks.size() - listed);
  pages_->updates = ++updates_;
  std::ranges::copy(tasks.first(listed), pages_->task);
  sequence.store(++sequence_, std::memory_order_release);
}

} // namespace pegasus::guests
