// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/descriptions.h"

#include "domA/daemon/in_time.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace pegasus::daemon {
Described holdings_in(std::span<std::byte const> report, gate::Answer const& answer) {
  if (answer.status == gate::OrderStatus::unknown)
    return tl::unexpected(
        std::string("its worker is from an older release, which cannot list what it holds"));
  std::string copy(std::min<std::uint64_t>(answer.amount, report.size()), '\0');
  std::copy_n(reinterpret_cast<char const*>(report.data()), copy.size(), copy.begin());
  control::Holdings holdings;
  if (answer.status != gate::OrderStatus::done || !holdings.ParseFromString(copy))
    return tl::unexpected(std::string("its worker could not list what it holds"));
  return holdings;
}

void describe(boost::asio::io_context& io, WorkerOrders& orders, Task const& task,
              std::function<void(Described const&)> then) {
  auto const tell = in_time<Described>(
      io, std::move(then),
      tl::unexpected(std::string("its worker is busy with a kernel or a call on the host: try again")));
  orders.give(*task.domain->accelerator, task.id, gate::OrderKind::describe,
              [tell, &task](std::optional<gate::Answer> const& answer) {
                tell(answer ? holdings_in(task.worker.report(), *answer)
                            : Described(tl::unexpected(std::string("it has ended"))));
              });
}

} // namespace pegasus::daemon
