// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/recorded.h"

#include "control/toml_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace pegasus::sim {
namespace {

using policies::Nanos;

constexpr Nanos longest{std::chrono::hours(24 * 365)}; // of all devices' time together

RecordedDomain read_recorded_domain(TomlTable& table) {
  return {.name = table.text("name", ""),
          .device = table.time("device_time", Nanos{0}, Nanos{0}, longest),
          .calls = table.whole("calls", 0, 0, std::numeric_limits<std::int64_t>::max()),
          .share = table.number("share", 0, 0, 1),
          .mean_wait = table.time("mean_wait", Nanos{0}, Nanos{0}, longest)};
}

} // namespace

Recorded read_recorded(TomlTable& table, std::vector<std::string> const& domains) {
  Recorded recorded{.policy = table.text("policy", ""),
                    .duration = table.time("duration", Nanos{0}, Nanos{1}, longest),
                    .domains = {}};
  if (recorded.policy.empty() || recorded.duration == Nanos{0})
    table.fail("[recorded] needs its policy and duration, as in policy = \"accc\" and duration = \"10s\"");
  table.for_each("domain", [&](TomlTable& each) {
    RecordedDomain const domain = read_recorded_domain(each);
    if (std::ranges::find(domains, domain.name) == domains.end())
      each.fail(fmt::format("the scenario has no domain called '{}'", domain.name));
    if (std::ranges::find(recorded.domains, domain.name, &RecordedDomain::name) != recorded.domains.end())
      each.fail(fmt::format("'{}' is recorded twice", domain.name));
    recorded.domains.push_back(domain);
  });
  return recorded;
}

} // namespace pegasus::sim
