// SPDX-License-Identifier: Apache-2.0
// The daemon's answers as text and as JSON. Pure: tested with hand-made messages.
#pragma once

#include "control/control.pb.h"
#include "control/figures.h"
#include "ctl/text/json.h"
#include "ctl/text/table.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pegasus::ctl {

[[nodiscard]] std::string policies_table(control::Policies const& policies, Shown const& shown = {});
[[nodiscard]] std::string policy_text(control::Policy const& policy);
[[nodiscard]] Json policies_json(control::Policies const& policies);
[[nodiscard]] Json policy_json(control::Policy const& policy);

[[nodiscard]] std::string domains_table(control::Domains const& domains, Shown const& shown = {});
[[nodiscard]] Json domains_json(control::Domains const& domains);

[[nodiscard]] std::string accelerators_table(control::Accelerators const& accelerators,
                                             Shown const& shown = {});
[[nodiscard]] Json accelerators_json(control::Accelerators const& accelerators);

// The accelerator of each domain, and why; domains that have had no task are left out.
[[nodiscard]] std::string placements_table(control::Domains const& domains, Shown const& shown = {});
[[nodiscard]] Json placements_json(control::Domains const& domains);

[[nodiscard]] std::string description_table(control::Description const& description, Shown const& shown = {});
[[nodiscard]] Json description_json(control::Description const& description);

[[nodiscard]] std::string log_table(control::Log const& log, Shown const& shown = {});
[[nodiscard]] Json log_json(control::Log const& log);

// By what the domains of top are ordered: by name, else the largest figure first.
enum class TopBy : std::uint8_t { name, now, calls, latency, memory };
inline constexpr std::array<std::string_view, 5> top_orders{"name", "now", "calls", "latency", "memory"};

// What happened between two answers, or since the reset if the statistics were reset in between.
[[nodiscard]] std::string top_table(control::Domains const& before, control::Domains const& now,
                                    Shown const& shown = {}, TopBy by = TopBy::name);
[[nodiscard]] Json top_json(control::Domains const& before, control::Domains const& now);

// "running", "waiting", "barred for 0.800 s"
[[nodiscard]] std::string state(control::Domain const& domain, control::DomainFigures const& figures);
// "42.1 %"
[[nodiscard]] std::string percent(double share);

} // namespace pegasus::ctl
