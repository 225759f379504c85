// SPDX-License-Identifier: Apache-2.0
// A recorded domain's programs as a scenario has them: [[domain.program]], one for each task that it had
// at a time.
#pragma once

#include "ctl/record/interval.h"
#include "ctl/record/recording.h"

#include <cstdint>
#include <span>
#include <string>

namespace pegasus::ctl {

// How many programs stand for the domain; 0 if it did nothing.
[[nodiscard]] std::uint64_t programs_in(std::span<Interval const> phases);
[[nodiscard]] std::string programs_text(RecordedDomain const& domain, std::span<Interval const> phases);

} // namespace pegasus::ctl
