// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/vaccel_option.h"

#include "control/quantity.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::xen {
namespace {

using control::Setting;
using control::Settings;

constexpr std::string_view backend_key = "backend";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

struct Word { // "key=value"
  std::string_view whole, key, value;
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  while (!text.empty()) {
    std::string_view const word = trimmed(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.find(','), text.size() - 1) + 1);
    auto const equals = word.find('=');
    words.push_back({word, word.substr(0, equals),
                     equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1)});
  }
  return words;
}

// nullptr: xl has no setting of that name.
Setting const* xl_setting(std::string_view key) {
  auto const found = std::ranges::find(control::all_settings(), key, &Setting::key);
  return found == control::all_settings().end() || found->valid_in_xl.empty() ? nullptr : &*found;
}

std::string xl_keys() {
  std::string keys;
  for (Setting const& setting : control::all_settings())
    if (!setting.valid_in_xl.empty()) keys += fmt::format("{}{}=", keys.empty() ? "" : ", ", setting.key);
  return keys;
}

} // namespace

tl::expected<Settings, std::string> parse_vaccel(std::string_view text) {
  Settings settings;
  for (Word const& word : words_of(text)) {
    if (word.whole.empty() || word.key == backend_key) continue;
    Setting const* const setting = xl_setting(word.key);
    if (setting == nullptr)
      return tl::unexpected(fmt::format("vaccel: \"{}\" is not one of {}", word.whole, xl_keys()));
    if (!setting->set(settings, word.value, control::Syntax::xl))
      return tl::unexpected(
          fmt::format("vaccel: {}={} is not valid: {}", word.key, word.value, setting->valid_in_xl));
  }
  if (auto const problem = control::contradiction(settings)) return tl::unexpected("vaccel: " + *problem);
  return settings;
}

std::string backend_in(std::string_view text) {
  std::string backend;
  for (Word const& word : words_of(text))
    if (word.key == backend_key) backend = word.value;
  return backend;
}

VaccelNodes read_vaccel(std::string const& directory, std::optional<Settings> const& last,
                        std::function<std::optional<std::string>(std::string const& path)> const& read) {
  VaccelNodes nodes;
  Settings const usual;
  nodes.settings = last.value_or(usual);
  // True if the value, or the default of a value that was never set, is what the operator wants.
  auto const take = [&](control::Node const& node) {
    std::uint64_t const before = node.get(nodes.settings);
    auto const text = read(fmt::format("{}/{}", directory, node.name));
    auto const value = text ? control::whole_number(*text, 0, node.most) : std::nullopt;
    if (value && (*value >= node.least || *value == node.get(usual))) {
      if (*value != before) node.set(nodes.settings, *value);
      return true;
    }
    if (!text && before == node.get(usual)) return true;
    nodes.problems.push_back(fmt::format(
        "{}/{} {}: {} {}", directory, node.name,
        text ? fmt::format("is not a number from {} to {}", node.least, node.most) : "has been removed",
        before, last ? "stays" : "is taken"));
    return false;
  };
  for (Setting const& setting : control::all_settings())
    if (!setting.node.name.empty() && !take(setting.node) && !last && setting.node.fails_closed)
      nodes.unlimited_by_error = true;
  if (control::contradiction(nodes.settings)) { // each node may be written by itself
    nodes.settings.slo = nodes.settings.cap;
    nodes.problems.push_back(
        fmt::format("{0}/slo-permille is more than {0}/cap-permille: using the latter for both", directory));
  }
  return nodes;
}

bool write_vaccel(Settings const& settings,
                  std::function<bool(std::string_view node, std::string const& value)> const& write) {
  return std::ranges::all_of(control::all_settings(), [&](Setting const& setting) {
    return setting.node.name.empty() || write(setting.node.name, std::to_string(setting.node.get(settings)));
  });
}

} // namespace pegasus::xen
