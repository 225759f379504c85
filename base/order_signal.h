// SPDX-License-Identifier: Apache-2.0
// The signal by which pegasusd interrupts a worker that sleeps and has an order (domA/gate/orders.h). A process that
// does not wait for it ignores it.
#pragma once

#include <csignal>

namespace pegasus::base {

inline constexpr int order_signal = SIGURG;

} // namespace pegasus::base
