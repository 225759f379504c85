// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/environment.h"

#include <algorithm>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

// Removes `name` from `variables` and returns its value. Removes all occurrences, because not all
// programs use the first one.
std::string take(std::vector<std::string>& variables, std::string_view name) {
  auto const names_it = [&](std::string const& variable) {
    return variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=';
  };
  auto const found = std::find_if(variables.begin(), variables.end(), names_it);
  std::string value = found == variables.end() ? std::string() : found->substr(name.size() + 1);
  variables.erase(std::remove_if(variables.begin(), variables.end(), names_it), variables.end());
  return value;
}

// `first`, then the other entries of `list`: nested uses do not repeat entries.
std::string prepended(std::vector<std::string> const& first, std::string_view list,
                      std::string_view separators) {
  std::string joined;
  for (std::string const& entry : first)
    joined += (joined.empty() ? "" : ":") + entry;
  while (!list.empty()) {
    std::size_t const length = std::min(list.find_first_of(separators), list.size());
    std::string const entry(list.substr(0, length));
    list.remove_prefix(std::min(length + 1, list.size()));
    if (!entry.empty() && std::find(first.begin(), first.end(), entry) == first.end()) joined += ":" + entry;
  }
  return joined;
}

// With auditors glibc lays out the static thread-local storage before it knows the program's libraries, so all that they
// have must fit into what it keeps for libraries that come later: 1.6 KiB if nothing is said. Much more would leave no room
// in threads with small stacks.
std::string with_room_for_thread_locals(std::string tunables) {
  std::string const name = "glibc.rtld.optional_static_tls=";
  if (tunables.find(name) != std::string::npos) return tunables;
  return tunables + (tunables.empty() ? "" : ":") + name + "8192";
}

} // namespace

std::vector<std::string> current_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

std::vector<std::string> guest_environment(std::vector<std::string> base, Installation const& installation,
                                           GuestOf const& guest) {
  take(base, "PEGASUS_SOCKET");
  take(base, "PEGASUS_DOMAIN");
  std::string const preload = prepended(installation.guest_libraries(), take(base, "LD_PRELOAD"), " :");
  std::string const audit = prepended({installation.audit_library()}, take(base, "LD_AUDIT"), ":");
  std::string const path = prepended({installation.lib}, take(base, "LD_LIBRARY_PATH"), ":;");
  std::string const tunables = with_room_for_thread_locals(take(base, "GLIBC_TUNABLES"));
  base.push_back("PEGASUS_SOCKET=" + guest.socket);
  base.push_back("PEGASUS_DOMAIN=" + guest.domain);
  base.push_back("GLIBC_TUNABLES=" + tunables);
  base.push_back("LD_AUDIT=" + audit);
  base.push_back("LD_PRELOAD=" + preload);
  base.push_back("LD_LIBRARY_PATH=" + path);
  return base;
}

} // namespace pegasus::ctl
