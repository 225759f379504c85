// SPDX-License-Identifier: Apache-2.0
// Gives a guest an accelerator as a patched toolstack would, from xl.cfg's own option, under a stock
// toolstack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::xen {

struct VaccelOption {
  std::uint32_t credits = 256;
  std::uint64_t memory_kb = 0; // 0: no limit
  std::uint32_t slo_permille = 0;

  bool operator==(VaccelOption const&) const = default;
};

// "credits=512,memory=256M,slo=0.5", as in the configuration's list. The error says what is valid.
[[nodiscard]] tl::expected<VaccelOption, std::string> parse_vaccel(std::string_view text);

// Makes device 0 of `guest` (a name or a domain id). `configuration`: an xl.cfg text whose first `vaccel`
// counts; empty: the defaults. The guest's name, or what is wrong.
[[nodiscard]] tl::expected<std::string, std::string> attach(std::string const& guest,
                                                            std::string const& configuration);

} // namespace pegasus::xen
