// SPDX-License-Identifier: Apache-2.0
// How an accelerator of each kind of domA/device/kinds.h is found, opened and served.
#pragma once

#include "domA/device/kinds.h"
#include "domA/worker/accelerator.h"
#include "domA/worker/jail.h"
#include "domA/worker/probe.h"
#include "domA/worker/sandbox.h"

namespace pegasus::worker {

struct KindOfWorker {
  std::string_view name; // the row of device::kinds
  // The ordinal is in the order of the driver. On an error `found` keeps what was found before it.
  tl::expected<void, std::string> (*probe)(Wanted const& wanted, Probed& found);
  // Called before entering the sandbox.
  tl::expected<std::unique_ptr<Accelerator>, std::string> (*open)(Start const& start, Shared const& shared);
  Files (*files)(DeviceChoice const& device); // the files that its worker may open
  // What its library needs there; called in the jail, before open().
  Sandbox (*sandbox)(Jail const& jail, Files const& files);
};

// Returns nullptr if there is no kind with this number.
[[nodiscard]] KindOfWorker const* kind_of_worker(std::uint32_t number);

} // namespace pegasus::worker
