// SPDX-License-Identifier: Apache-2.0
#include "control/toml_table.h"

#include "control/quantity.h"

#include <fmt/format.h>

namespace pegasus::control {
namespace {

std::uint64_t whole_of(toml::node const& node, std::string_view key, std::uint64_t least,
                       std::uint64_t most) {
  auto const value = node.value_exact<std::int64_t>();
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) < least ||
      static_cast<std::uint64_t>(*value) > most)
    TomlTable::fail(node, fmt::format("{} must be a whole number from {} to {}", key, least, most));
  return static_cast<std::uint64_t>(*value);
}

std::string time_text(policies::Nanos time) {
  auto const ns = time.count();
  if (ns % 1'000'000'000 == 0) return fmt::format("{}s", ns / 1'000'000'000);
  if (ns % 1'000'000 == 0) return fmt::format("{}ms", ns / 1'000'000);
  return ns % 1'000 == 0 ? fmt::format("{}us", ns / 1'000) : fmt::format("{}ns", ns);
}

} // namespace

std::string error_at(toml::source_region const& where, std::string_view name, std::string_view what) {
  if (where.path && *where.path != name) return fmt::format("{}: {}: {}", name, *where.path, what);
  if (!where.begin) return fmt::format("{}: {}", name, what);
  return fmt::format("{}:{}:{}: {}", name, where.begin.line, where.begin.column, what);
}

std::string word_of(toml::node const& node, std::string const& key) {
  if (auto const text = node.value_exact<std::string>()) return *text;
  if (auto const number = node.value_exact<std::int64_t>()) return fmt::format("{}", *number);
  if (auto const number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (auto const is = node.value_exact<bool>()) return *is ? "true" : "false";
  TomlTable::fail(node, fmt::format("{} must be a string, a number, true or false", key));
}

void TomlTable::fail(toml::node const& node, std::string const& what) {
  throw TomlError(node.source(), what);
}

void TomlTable::fail(std::string const& what) const { fail(table_, what); }

toml::node const* TomlTable::find(std::string_view key) {
  known_.emplace(key);
  return table_.get(key);
}

std::string TomlTable::text(std::string_view key, std::string const& usual) {
  toml::node const* const node = find(key);
  if (node == nullptr) return usual;
  auto const value = node->value_exact<std::string>();
  if (!value) fail(*node, fmt::format("{} must be a string, as in {} = \"...\"", key, key));
  return *value;
}

std::uint64_t TomlTable::whole(std::string_view key, std::uint64_t usual, std::uint64_t least,
                               std::uint64_t most) {
  toml::node const* const node = find(key);
  return node == nullptr ? usual : whole_of(*node, key, least, most);
}

double TomlTable::number(std::string_view key, double usual, double least, double most) {
  toml::node const* const node = find(key);
  if (node == nullptr) return usual;
  auto const value = node->value<double>();
  if (!node->is_number() || !value || !(*value >= least && *value <= most))
    fail(*node, fmt::format("{} must be a number from {} to {}", key, least, most));
  return *value;
}

policies::Nanos TomlTable::time(std::string_view key, policies::Nanos usual, policies::Nanos least,
                                policies::Nanos most) {
  toml::node const* const node = find(key);
  if (node == nullptr) return usual;
  auto const value = node->value_exact<std::string>();
  auto const found = value ? control::time(*value) : std::nullopt;
  if (!found || *found < least || *found > most)
    fail(*node, fmt::format("{} must be a time from {} to {} with its unit, such as \"2ms\"", key,
                            time_text(least), time_text(most)));
  return *found;
}

std::vector<std::uint64_t> TomlTable::wholes(std::string_view key, std::uint64_t most) {
  std::vector<std::uint64_t> values;
  toml::node const* const node = find(key);
  if (node == nullptr) return values;
  if (!node->is_array()) fail(*node, fmt::format("{} must be a list, as in {} = [0, 1]", key, key));
  for (toml::node const& each : *node->as_array())
    values.push_back(whole_of(each, fmt::format("each entry of {}", key), 0, most));
  return values;
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
  std::vector<std::string> values;
  toml::node const* const node = find(key);
  if (node == nullptr) return values;
  if (!node->is_array()) fail(*node, fmt::format("{} must be a list of texts", key));
  for (toml::node const& each : *node->as_array()) {
    auto const value = each.value_exact<std::string>();
    if (!value) fail(each, fmt::format("each entry of {} must be a string", key));
    values.push_back(*value);
  }
  return values;
}

void TomlTable::for_each(std::string_view key, std::function<void(TomlTable&)> const& read) {
  toml::node const* const node = find(key);
  if (node == nullptr) return;
  if (!node->is_array_of_tables())
    fail(*node, fmt::format("{} must be tables, each under [[...{}]]", key, key));
  for (toml::node const& each : *node->as_array()) {
    TomlTable table(*each.as_table(), fmt::format("a {}", key));
    read(table);
    table.no_other_keys();
  }
}

void TomlTable::no_other_keys() const {
  for (auto const& [key, node] : table_)
    if (!known_.contains(key.str())) {
      std::string names;
      for (std::string const& name : known_)
        names += (names.empty() ? "" : ", ") + name;
      throw TomlError(key.source(), fmt::format("{} has no '{}'; it has {}", what_, key.str(), names));
    }
}

} // namespace pegasus::control
