// SPDX-License-Identifier: Apache-2.0
// Reads what pegasusd shows this guest of its tasks. Source: frontend/protocol/totals.h.
#pragma once

#include "frontend/protocol/totals.h"
#include "frontend/transport/transport.h"

#include <optional>
#include <vector>

namespace pegasus::nested {

class TotalsReader {
public:
  // Connects as programs that use CUDA do: $PEGASUS_SOCKET and $PEGASUS_DOMAIN, or the device of this guest
  // of Xen. Returns nullopt and fills `error` if that fails. The connection stays until the process ends.
  [[nodiscard]] static std::optional<TotalsReader> open(frontend::TransportError& error);

  explicit TotalsReader(frontend::Transport& transport) : transport_(&transport) {}

  // The tasks as they were at one moment, by ascending number; nullopt if pegasusd is gone.
  [[nodiscard]] std::optional<std::vector<pegasus_task_total>> read();

private:
  [[nodiscard]] bool copy(std::vector<pegasus_task_total>& tasks) const; // false if they changed meanwhile

  frontend::Transport* transport_;
};

} // namespace pegasus::nested
