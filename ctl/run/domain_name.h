// SPDX-License-Identifier: Apache-2.0
// The name of the domain a program runs in when none is given.
#pragma once

#include <string>
#include <string_view>

namespace pegasus::ctl {

// 1 to 63 letters, digits, '_', '.' or '-', not starting with '.' or '-': the daemon's rule.
[[nodiscard]] bool valid_domain_name(std::string_view name);
inline constexpr std::string_view domain_name_rule =
    "1 to 63 letters, digits, '_', '.' or '-', not starting with '.' or '-'";

// The program's own name without its directories; what a domain's name may not hold becomes '_'.
[[nodiscard]] std::string domain_name_for(std::string_view program);

} // namespace pegasus::ctl
