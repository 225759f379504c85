// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/orders.h"

#include "base/order_signal.h"
#include "control/holdings.pb.h"

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
  }
  return {.status = OrderStatus::unknown};
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
