// SPDX-License-Identifier: Apache-2.0
// pegasusd's options that say which users may connect, and as which domain.
#pragma once

#include "cli/options.h"
#include "domA/daemon/options.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <grp.h>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::daemon {

inline std::optional<gid_t> group_named(std::string const& name) {
  group const* const found = getgrnam(name.c_str()); // before there is a second thread
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

struct IdentityArguments {
  std::optional<gid_t> group;
  std::string domains{text_of(local::DomainsBy::named)};
  std::vector<std::string> cgroup_rules;

  void add_to(CLI::App& app) {
    cli::add_read(app, "--socket-group GROUP",
                  "the group whose users may use guest.sock and status.sock (0660)",
                  [this](std::string const& name) {
                    group = group_named(name);
                    return group ? "" : fmt::format("there is no group \"{}\" on this machine", name);
                  })
        ->default_str("as the umask leaves guest.sock");
    cli::add_choice(
        app, "--domains", domains, {"named", "user", "cgroup"},
        "what decides which domain a local program is in: its name or what the user says, the user, the "
        "control group");
    cli::add_texts(
        app, "--cgroup-rule REGEX=NAME", cgroup_rules,
        "processes in a control group of which a component matches REGEX are in domain NAME; takes the "
        "place of the usual rules; may be given several times")
        ->check([](std::string const& rule) {
          auto const parsed = local::CgroupRules::parse({&rule, 1});
          return parsed ? std::string() : parsed.error();
        });
  }
  void check() const {
    if (!cgroup_rules.empty() && domains != text_of(local::DomainsBy::cgroup))
      throw CLI::ValidationError("--cgroup-rule", "rules need --domains cgroup");
  }
  void put_into(Options& options) const { // all values have been checked
    options.domains = local::domains_by(domains).value();
    if (!cgroup_rules.empty()) options.cgroup_rules = local::CgroupRules::parse(cgroup_rules).value();
    options.socket_group = group;
  }
};

} // namespace pegasus::daemon
