// SPDX-License-Identifier: Apache-2.0
// What happened on a real host, in the scenario that `pegasusctl record` made of it: what a replay
// is compared with.
#pragma once

#include "control/toml_table.h"
#include "policies/view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::sim {

using control::TomlTable;

struct RecordedDomain {
  std::string name;
  policies::Nanos device{0}; // as `pegasusctl record` counts it: with host time, as the policies charge it
  std::uint64_t calls = 0;
  double share = 0;             // of the device time of all domains on its accelerator
  policies::Nanos mean_wait{0}; // for each call: with it, and its gates closed
};

struct Recorded {
  std::string policy; // with its tunables
  policies::Nanos duration{0};
  std::vector<RecordedDomain> domains;
};

// Reads [recorded]. `domains`: the names in the scenario; each recorded one is among them, none twice.
// Throws a control::TomlError.
[[nodiscard]] Recorded read_recorded(TomlTable& table, std::vector<std::string> const& domains);

} // namespace pegasus::sim
