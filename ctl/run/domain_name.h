// SPDX-License-Identifier: Apache-2.0
// The default name of the domain in which a program runs.
#pragma once

#include <string>
#include <string_view>

namespace pegasus::ctl {

// The program's name without its directories; characters that are not valid in a domain's name become '_'.
[[nodiscard]] std::string domain_name_for(std::string_view program);

} // namespace pegasus::ctl
