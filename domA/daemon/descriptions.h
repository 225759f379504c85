// SPDX-License-Identifier: Apache-2.0
// Operators who wait for a task to describe itself: its worker is given the order, and its answer is passed on.
#pragma once

#include "control/holdings.pb.h"
#include "domA/daemon/domain.h"
#include "domA/daemon/worker_orders.h"

#include <boost/asio/io_context.hpp>
#include <functional>
#include <span>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::daemon {

using Described = tl::expected<control::Holdings, std::string>; // the error is a message

// What a worker wrote into its report, if its answer says so. It may still be writing there.
[[nodiscard]] Described holdings_in(std::span<std::byte const> report, gate::Answer const& answer);

// Asks the task. `then` is called once, on the loop of `io`.
void describe(boost::asio::io_context& io, WorkerOrders& orders, Task const& task,
              std::function<void(Described const&)> then);

} // namespace pegasus::daemon
