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
  std::uint32_t latency_us = 0; // the slice; 0: the policy's own

  bool operator==(VaccelOption const&) const = default;
};

// "credits=512,memory=256M,slo=0.5,latency=2ms": an item of the configuration's list. The error says what is
// valid.
[[nodiscard]] tl::expected<VaccelOption, std::string> parse_vaccel(std::string_view text);

// From the nodes in `directory`; `read` gives a node's text, if it is there. What is not, or is no such
// number, has its default; the latter is reported in a sentence.
[[nodiscard]] VaccelOption
read_vaccel(std::string const& directory,
            std::function<std::optional<std::string>(std::string const& path)> const& read,
            std::function<void(std::string const& problem)> const& report);

} // namespace pegasus::xen
