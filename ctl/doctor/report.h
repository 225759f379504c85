// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text for a terminal and as JSON: pure.
#pragma once

#include "ctl/doctor/findings.h"
#include "ctl/text/json.h"
#include "ctl/text/table.h"

#include <string>

namespace pegasus::ctl::doctor {

// A table of the findings, and the verdict as the last line.
[[nodiscard]] std::string report_text(Diagnosis const& diagnosis, Shown const& shown);

[[nodiscard]] Json report_json(Facts const& facts, Diagnosis const& diagnosis);

} // namespace pegasus::ctl::doctor
