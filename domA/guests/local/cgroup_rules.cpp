// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/local/cgroup_rules.h"

#include "control/domain_name.h"
#include "domA/guests/connect_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <iterator>

namespace pegasus::local {
namespace {

using Match = std::match_results<std::string_view::const_iterator>;

// Jobs come before users: a job's processes may also be in their user's slice, in another hierarchy.
std::array<std::string, 4> const usual_rules = {
    R"(job_(\d+)=job-\1)",
    R"(libpod-([0-9a-f]{12})[0-9a-f]*(\.scope)?=libpod-\1)",
    R"(machine-(.+)\.scope=machine-\1)",
    R"(user-(\d+)\.slice=user-\1)",
};

// libstdc++'s breadth-first search: its time is bounded by the lengths of text and pattern, its stack by that
// of the pattern. The default search may take exponential time, in the thread that serves all guests.
constexpr auto syntax = std::regex_constants::ECMAScript | std::regex_constants::__polynomial;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The highest group that the name uses; nullopt if the name has a character that is not valid in
// a domain's name.
std::optional<std::size_t> highest_group(std::string const& name) {
  std::size_t highest = 0;
  std::string rest = name;
  for (std::size_t at = rest.find('\\'); at != std::string::npos; at = rest.find('\\')) {
    if (at + 1 == rest.size() || !is_digit(rest[at + 1])) return std::nullopt;
    highest = std::max(highest, static_cast<std::size_t>(rest[at + 1] - '0'));
    rest.replace(at, 2, "0"); // in the check below it counts as a letter
  }
  if (!control::valid_domain_name(rest)) return std::nullopt;
  return highest;
}

std::string expand(std::string const& name, Match const& match) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (name[i] == '\\')
      result += match[static_cast<std::size_t>(name[++i] - '0')].str();
    else
      result += name[i];
  return result;
}

// systemd.unit(5), "String escaping": my\x2dvm is my-vm.
std::string without_escapes(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    unsigned char code = 0;
    bool const escape = text.size() >= 4 && text.starts_with("\\x") &&
                        std::from_chars(text.data() + 2, text.data() + 4, code, 16).ptr == text.data() + 4;
    result += escape ? static_cast<char>(code) : text.front();
    text.remove_prefix(escape ? 4 : 1);
  }
  return result;
}

// "4:memory,cpu:/a/b": the path follows the second colon. Returns nullopt for any other line.
std::optional<std::string_view> path_of(std::string_view line) {
  auto const first = line.find(':');
  auto const second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") return std::nullopt;
  return line.substr(second + 1);
}

} // namespace

CgroupRules CgroupRules::usual() { return parse(usual_rules).value(); }

tl::expected<CgroupRules, std::string> CgroupRules::parse(std::span<std::string const> rules) {
  CgroupRules result;
  for (std::string const& text : rules) {
    auto rule = parse_rule(text);
    if (!rule) return tl::unexpected(fmt::format("\"{}\" is not a rule REGEX=NAME: {}", text, rule.error()));
    result.rules_.push_back(std::move(*rule));
  }
  return result;
}

tl::expected<CgroupRules::Rule, std::string> CgroupRules::parse_rule(std::string const& text) {
  auto const equals = text.rfind('='); // a name does not contain '='
  if (equals == std::string::npos || equals == 0) return tl::unexpected(std::string("it has no \"REGEX=\""));
  Rule rule;
  rule.text = text;
  rule.name = text.substr(equals + 1);
  rule.whole_path = text.front() == '/';
  auto const highest = highest_group(rule.name);
  if (!highest)
    return tl::unexpected(
        fmt::format("the name must have {}, and \\0 to \\9 for what was matched", control::domain_name_rule));
  try {
    rule.pattern = std::regex(text.substr(0, equals), syntax);
  } catch (std::regex_error const& error) {
    return tl::unexpected(fmt::format("its regular expression is invalid ({})", error.what()));
  }
  if (*highest > rule.pattern.mark_count())
    return tl::unexpected(fmt::format("the name uses \\{}, and the regular expression has {} groups",
                                      *highest, rule.pattern.mark_count()));
  return rule;
}

std::optional<CgroupRules::Hit> CgroupRules::match(std::string_view path) const {
  for (std::size_t begin = 1; begin < path.size();) { // behind a slash
    std::size_t const end = std::min(path.find('/', begin), path.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      std::string_view const text = path.substr(0, end).substr(rules_[i].whole_path ? 0 : begin);
      Match groups;
      if (std::regex_match(text.begin(), text.end(), groups, rules_[i].pattern))
        return Hit{i, without_escapes(expand(rules_[i].name, groups))};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

tl::expected<std::string, std::string> CgroupRules::domain_of(std::string_view cgroups) const {
  std::optional<Hit> best;
  bool two_names = false;
  while (!cgroups.empty()) {
    std::size_t const end = std::min(cgroups.find('\n'), cgroups.size());
    auto const path = path_of(cgroups.substr(0, end));
    cgroups.remove_prefix(std::min(end + 1, cgroups.size()));
    auto hit = path ? match(*path) : std::nullopt;
    if (!hit || (best && best->rule < hit->rule)) continue;
    two_names = best && best->rule == hit->rule && (two_names || best->name != hit->name);
    if (!two_names) best = std::move(hit);
  }
  if (!best) return tl::unexpected(std::string("no cgroup rule of pegasusd matches this program's cgroup"));
  if (two_names)
    return tl::unexpected(
        fmt::format("this program's cgroups match two domains in the rule \"{}\"", rules_[best->rule].text));
  if (!control::valid_domain_name(best->name))
    return tl::unexpected(fmt::format("this program's cgroup gives \"{}\", which is not a domain's name: {}",
                                      guests::printable(best->name), control::domain_name_rule));
  return best->name;
}

} // namespace pegasus::local
