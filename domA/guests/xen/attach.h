// SPDX-License-Identifier: Apache-2.0
// Gives a guest an accelerator as a patched toolstack would, from xl.cfg's own option, under a stock
// toolstack.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace pegasus::xen {

// Makes device 0 of `guest` (a name or a domain id). `configuration`: an xl.cfg text whose first `vaccel`
// counts; empty: the defaults. The guest's name, or what is wrong.
[[nodiscard]] tl::expected<std::string, std::string> attach(std::string const& guest,
                                                            std::string const& configuration);

} // namespace pegasus::xen
