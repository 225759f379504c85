// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/guest_rules.h"

#include "control/toml_table.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fnmatch.h>

namespace pegasus::xen {

namespace {

using control::TomlError;
using control::TomlTable;

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

control::Settings read_settings(TomlTable& table) {
  std::vector<std::string> words;
  for (control::Setting const& setting : control::all_settings()) {
    toml::node const* const node = table.find(setting.key);
    if (node == nullptr) continue;
    if (setting.node.name.empty())
      TomlTable::fail(*node,
                      fmt::format("{} is not a setting of the device: use pegasusctl set", setting.key));
    words.push_back(fmt::format("{}={}", setting.key, control::word_of(*node, std::string(setting.key))));
    control::Settings alone;
    if (auto const valid = control::apply_settings({&words.back(), 1}, alone); !valid)
      TomlTable::fail(*node, valid.error());
  }
  control::Settings settings;
  if (auto const valid = control::apply_settings(words, settings); !valid) table.fail(valid.error());
  return settings;
}

} // namespace

std::vector<GuestRules::Rule> GuestRules::read_file(std::filesystem::path const& file) {
  toml::table const parsed = toml::parse_file(file.string());
  TomlTable document(parsed, "a file of rules");
  std::vector<Rule> rules;
  document.for_each("guest", [&rules](TomlTable& table) {
    Rule rule{.name = table.text("name", ""), .uuid = in_lower_case(table.text("uuid", "")), .settings = {}};
    if (rule.name.empty() == rule.uuid.empty()) table.fail("a guest has a name or a uuid, and not both");
    rule.settings = read_settings(table);
    rules.push_back(std::move(rule));
  });
  document.no_other_keys();
  return rules;
}

GuestRules GuestRules::read(std::filesystem::path const& directory) {
  GuestRules all;
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".toml") files.push_back(entry->path());
  if (error && error != std::errc::no_such_file_or_directory)
    all.problems_.push_back(fmt::format("cannot read {}: {}", directory.string(), error.message()));
  std::ranges::sort(files);
  for (std::filesystem::path const& file : files) {
    auto const refuse = [&](toml::source_region const& where, std::string_view what) {
      all.problems_.push_back(control::error_at(where, file.string(), what) + ": the file does not count");
    };
    try {
      std::ranges::move(read_file(file), std::back_inserter(all.rules_));
    } catch (TomlError const& problem) {
      refuse(problem.where, problem.what());
    } catch (toml::parse_error const& problem) {
      refuse(problem.source(), problem.description());
    }
  }
  return all;
}

std::optional<control::Settings> GuestRules::find(std::string_view name, std::string_view uuid) const {
  std::string const wanted = in_lower_case(std::string(uuid));
  auto found =
      std::ranges::find_if(rules_, [&](Rule const& rule) { return !wanted.empty() && rule.uuid == wanted; });
  if (found == rules_.end())
    found = std::ranges::find_if(rules_, [text = std::string(name)](Rule const& rule) {
      return !rule.name.empty() && fnmatch(rule.name.c_str(), text.c_str(), 0) == 0;
    });
  return found == rules_.end() ? std::nullopt : std::optional(found->settings);
}

} // namespace pegasus::xen
