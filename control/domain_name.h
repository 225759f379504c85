// SPDX-License-Identifier: Apache-2.0
// Valid names of domains, for programs, operators and cgroup rules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pegasus::control {

inline constexpr std::size_t max_domain_name = 63; // bytes; the wire's field has one more
inline constexpr std::string_view domain_name_rule =
    "1 to 63 letters, digits, '_', '.' or '-', not starting with '.' or '-'";

[[nodiscard]] constexpr bool may_be_in_domain_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

[[nodiscard]] constexpr bool valid_domain_name(std::string_view name) {
  return !name.empty() && name.size() <= max_domain_name && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), may_be_in_domain_name);
}

} // namespace pegasus::control
