// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/descriptions.h"

#include <algorithm>
#include <utility>

namespace pegasus::daemon {
namespace {

// An order waits for as long as the task has a kernel on the device; an operator does not.
constexpr std::chrono::seconds patience{2};

} // namespace

tl::expected<control::Holdings, std::string> holdings_in(std::span<std::byte const> report,
                                                         gate::Answer const& answer) {
  if (answer.status == gate::OrderStatus::unknown)
    return tl::unexpected(std::string("its worker is of another release, which does not describe itself"));
  std::string copy(std::min<std::uint64_t>(answer.amount, report.size()), '\0');
  std::copy_n(reinterpret_cast<char const*>(report.data()), copy.size(), copy.begin());
  control::Holdings holdings;
  if (answer.status != gate::OrderStatus::done || !holdings.ParseFromString(copy))
    return tl::unexpected(std::string("its worker failed to describe itself"));
  return holdings;
}

void Descriptions::ask(Task const& task, Then then) {
  TaskId const id = task.id;
  auto& waiting = waiting_[id];
  if (waiting == nullptr) waiting = std::make_unique<Waiting>(io_);
  waiting->askers.push_back(std::move(then));
  if (waiting->askers.size() > 1) return;
  scheduler::SchedulerLoop& loop = task.domain->accelerator->scheduler();
  // If it still has an order, of an asker whose patience ended, its answer comes for this one.
  (void)accelerators_.on_schedulers_thread(
      [&] { return loop.order(id, {.kind = gate::OrderKind::describe}); });
  waiting->timer.expires_after(patience);
  waiting->timer.async_wait([this, id](boost::system::error_code error) {
    if (!error)
      end(id, tl::unexpected(std::string("it does not answer: a kernel, or a call on the host, goes on")));
  });
}

void Descriptions::answered(Task const& task, gate::Answer const& answer) {
  if (waiting_.contains(task.id)) end(task.id, holdings_in(task.worker.report(), answer));
}

void Descriptions::left(TaskId task) { end(task, tl::unexpected(std::string("it has ended"))); }

void Descriptions::end(TaskId task, tl::expected<control::Holdings, std::string> const& result) {
  auto const ended = waiting_.extract(task);
  if (ended.empty()) return;
  for (Then const& then : ended.mapped()->askers)
    then(result);
}

} // namespace pegasus::daemon
