// SPDX-License-Identifier: Apache-2.0
// A recording as a scenario of pegasus-sim (sim/README.md).
#pragma once

#include "ctl/record/recording.h"

#include <cstdint>
#include <string>

namespace pegasus::ctl {

[[nodiscard]] std::string scenario_text(Recording const& recording);

// Its intervals together.
[[nodiscard]] Interval all_of(RecordedDomain const& domain);
// Its part of the device time of all domains on its accelerator; 0 if there was none.
[[nodiscard]] double share_of(Recording const& recording, RecordedDomain const& domain);

} // namespace pegasus::ctl
