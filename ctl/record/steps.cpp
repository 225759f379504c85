// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/steps.h"

#include "ctl/text/toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace pegasus::ctl {
namespace {

constexpr std::uint64_t longest_step = 600'000'000'000; // that a scenario may have

constexpr std::uint64_t most_launches = 1'000'000'000; // of one step

// Calls of a round, of which some are synchronous.
struct Round {
  std::uint64_t calls = 1;
  std::uint64_t sync_calls = 1;
};

// The shortest round whose ratio of calls to synchronous ones is right to a twentieth: ten calls,
// or one synchronous.
Round round_of(std::uint64_t calls, std::uint64_t sync_calls) {
  if (sync_calls == 0) return {std::min(calls, most_launches), 0};
  if (calls <= sync_calls) return {};
  std::uint64_t const sync = std::clamp<std::uint64_t>(10 * sync_calls / calls, 1, 9);
  Round const round{(2 * sync * calls + sync_calls) / (2 * sync_calls), sync};
  std::uint64_t const common = std::gcd(round.calls, round.sync_calls);
  return {round.calls / common, round.sync_calls / common};
}

std::uint64_t part(std::uint64_t whole, std::uint64_t parts) {
  return parts == 0 ? 0 : (whole + parts / 2) / parts;
}

void add(std::vector<std::string>& steps, char const* kind, std::uint64_t ns) {
  for (std::uint64_t left = ns; left > 0; left -= std::min(left, longest_step))
    steps.push_back(fmt::format("{} {}", kind, time_text(std::min(left, longest_step))));
}

} // namespace

Steps steps_of(Interval const& phase) {
  std::uint64_t const calls = std::max<std::uint64_t>(phase.calls, 1); // one still executes
  std::uint64_t const kernel = std::clamp<std::uint64_t>(part(phase.device_ns, calls), 1, longest_step);
  Round const round = round_of(part(calls, phase.tasks()), part(phase.sync_calls, phase.tasks()));
  Steps result;
  result.rounds =
      std::max<std::uint64_t>(1, part(calls, phase.tasks() * std::max<std::uint64_t>(round.calls, 1)));
  // Without a synchronous call, all the time between calls is at the end of the only round.
  std::uint64_t const ends = std::max<std::uint64_t>(round.sync_calls, 1);
  std::uint64_t const gap = part(phase.between_calls_ns(), phase.tasks() * result.rounds * ends);
  for (std::uint64_t i = 0; i < ends; ++i) {
    std::uint64_t const here = (i + 1) * round.calls / ends - i * round.calls / ends;
    std::uint64_t const launches = round.sync_calls == 0 ? here : here - 1;
    if (launches > 0) result.steps.push_back(fmt::format("launch {} {}", time_text(kernel), launches));
    result.steps.push_back(round.sync_calls == 0 ? "sync" : fmt::format("call {}", time_text(kernel)));
    add(result.steps, "cpu", gap);
  }
  return result;
}

Steps pause_of(std::uint64_t ns) {
  Steps result;
  add(result.steps, "sleep", ns);
  return result;
}

} // namespace pegasus::ctl
