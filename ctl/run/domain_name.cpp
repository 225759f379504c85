// SPDX-License-Identifier: Apache-2.0
#include "ctl/run/domain_name.h"

#include <algorithm>

namespace pegasus::ctl {
namespace {

constexpr std::size_t name_max = 63;

bool allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

} // namespace

bool valid_domain_name(std::string_view name) {
  return !name.empty() && name.size() <= name_max && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

std::string domain_name_for(std::string_view program) {
  std::string name(program.substr(program.find_last_of('/') + 1));
  name.resize(std::min(name.size(), name_max));
  for (char& c : name)
    if (!allowed(c)) c = '_';
  if (!name.empty() && (name.front() == '.' || name.front() == '-')) name.front() = '_';
  return name.empty() ? "default" : name;
}

} // namespace pegasus::ctl
