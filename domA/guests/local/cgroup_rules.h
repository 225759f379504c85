// SPDX-License-Identifier: Apache-2.0
// Which domain a process belongs to by its control groups: rules over the text of /proc/PID/cgroup. Pure.
//
// A rule is REGEX=NAME. REGEX (ECMAScript, without back references) must match a whole component of a path.
// If it begins with '/', it must match the path from its root to the end of a component. NAME is the domain's
// name: \1 to \9 in it stand for the matched groups, \0 for the whole match.
//
// In one path the match closest to the root counts: users may create and name what lies below, as systemd
// delegates user@UID.service. Of several paths (cgroup v1 has one for each hierarchy) the first rule that any
// of them matches counts.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::local {

class CgroupRules {
public:
  // Slurm's jobs, podman's containers, systemd's machines, users' slices.
  [[nodiscard]] static CgroupRules usual();
  // The error is a sentence about the first invalid rule.
  [[nodiscard]] static tl::expected<CgroupRules, std::string> parse(std::span<std::string const> rules);

  // `cgroups`: the text of /proc/PID/cgroup, of either version. Returns the domain's name, or an error if no
  // rule matches, one rule gives two names, or the name is not valid for a domain.
  [[nodiscard]] tl::expected<std::string, std::string> domain_of(std::string_view cgroups) const;

private:
  struct Rule {
    std::string text;
    std::regex pattern;
    std::string name;
    bool whole_path = false;
  };
  struct Hit {
    std::size_t rule;
    std::string name;
  };
  [[nodiscard]] static tl::expected<Rule, std::string> parse_rule(std::string const& text);
  [[nodiscard]] std::optional<Hit> match(std::string_view path) const;

  std::vector<Rule> rules_;
};

} // namespace pegasus::local
