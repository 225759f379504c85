// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/orders.h"

#include "base/order_signal.h"
#include "control/holdings.pb.h"

#include <algorithm>
#include <csignal>

namespace pegasus::worker {

using gate::OrderStatus;

// Without SA_RESTART: the wait is to end.
void wake_for_orders() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(base::order_signal, &action, nullptr);
}

gate::Answer Orders::obey(gate::Order const& order) {
  switch (order.kind) {
  case gate::OrderKind::nothing:
    return {.status = OrderStatus::done, .amount = order.amount};
  case gate::OrderKind::describe:
    return describe();
  case gate::OrderKind::evict:
    return move(&device::Context::evict);
  case gate::OrderKind::restore:
    return move(&device::Context::restore);
  }
  return {.status = OrderStatus::unknown};
}

gate::Answer Orders::move(device::Status (device::Context::*how)()) {
  device::Context& context = handler_.context();
  std::uint64_t const before = context.memory_used();
  device::Status const status = (context.*how)();
  if (status != device::Status::success)
    return {.status = OrderStatus::failed, .amount = static_cast<std::uint64_t>(status)};
  std::uint64_t const after = context.memory_used();
  return {.amount = std::max(before, after) - std::min(before, after)};
}

gate::Answer Orders::describe() {
  avcpu::CallHandler::Holdings const held = handler_.holdings();
  control::Holdings holdings;
  holdings.set_memory_bytes(held.memory_bytes);
  holdings.set_modules(held.modules);
  holdings.set_functions(held.functions);
  holdings.set_streams(held.streams);
  holdings.set_events(held.events);
  holdings.set_graphs(held.graphs);
  holdings.set_graph_bytes(held.graph_bytes);
  if (holdings.ByteSizeLong() > report_.size() ||
      !holdings.SerializeToArray(report_.data(), static_cast<int>(report_.size())))
    return {.status = OrderStatus::failed};
  return {.status = OrderStatus::done, .amount = holdings.ByteSizeLong()};
}

} // namespace pegasus::worker
