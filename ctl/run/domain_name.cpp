// SPDX-License-Identifier: Apache-2.0
#include "ctl/run/domain_name.h"

#include "control/domain_name.h"

#include <algorithm>

namespace pegasus::ctl {

std::string domain_name_for(std::string_view program) {
  std::string name(program.substr(program.find_last_of('/') + 1));
  name.resize(std::min(name.size(), control::max_domain_name));
  for (char& c : name)
    if (!control::may_be_in_domain_name(c)) c = '_';
  if (!name.empty() && (name.front() == '.' || name.front() == '-')) name.front() = '_';
  return name.empty() ? "default" : name;
}

} // namespace pegasus::ctl
