// SPDX-License-Identifier: Apache-2.0
// The name of the domain a program runs in when none is given.
#pragma once

#include <string>
#include <string_view>

namespace pegasus::ctl {

// The program's own name without its directories; what a domain's name may not hold becomes '_'.
[[nodiscard]] std::string domain_name_for(std::string_view program);

} // namespace pegasus::ctl
