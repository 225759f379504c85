// SPDX-License-Identifier: Apache-2.0
// A vaccel device's settings, as text: xl.cfg's option, and the nodes of the device's backend directory.
// Pure.
#pragma once

#include "policies/view.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::xen {

struct VaccelOption {
  static constexpr std::uint64_t credits_max = 65535;
  static constexpr std::uint64_t memory_kb_max = std::uint64_t{1} << 40;
  static constexpr std::uint64_t permille_max = 1000;
  static constexpr std::uint64_t latency_us_min = // but for 0
      policies::shortest_latency_slice / std::chrono::microseconds(1);
  static constexpr std::uint64_t latency_us_max =
      policies::longest_latency_slice / std::chrono::microseconds(1);

  std::uint32_t credits = 256;
  std::uint64_t memory_kb = 0; // 0: no limit
  std::uint32_t slo_permille = 0;
  std::uint32_t latency_us = 0;     // the slice; 0: the policy's own
  std::uint64_t host_memory_kb = 0; // 0: the daemon's default

  bool operator==(VaccelOption const&) const = default;
};

// "credits=512,memory=256M,slo=0.5,latency=2ms": an item of the configuration's list. The error says what is
// valid.
[[nodiscard]] tl::expected<VaccelOption, std::string> parse_vaccel(std::string_view text);

// A device's settings, from the nodes in its directory.
struct VaccelNodes {
  VaccelOption option;
  std::vector<std::string> problems; // a sentence for each node that is not followed
  bool unlimited_by_error = false;   // what should be the memory limit is not one, and there was none before
};

// `read` gives a node's text, if it is there. `last`: what was read before, if anything was. A node that is
// no such number, or was there and is not any more, changes nothing: a limit that isolates guests does not
// vanish by a mistake. A node that never was there has its default.
[[nodiscard]] VaccelNodes
read_vaccel(std::string const& directory, std::optional<VaccelOption> const& last,
            std::function<std::optional<std::string>(std::string const& path)> const& read);

} // namespace pegasus::xen
