// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/setting.h"

#include "control/quantity.h"
#include "control/toml_table.h"

#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>

namespace pegasus::sim {
namespace {

// For errors: where a file has line and column, these have the option.
std::string option_of(std::string const& setting) { return "--set " + setting; }

toml::source_region place_of(std::string const& setting) {
  return {{}, {}, std::make_shared<std::string const>(option_of(setting))};
}

[[noreturn]] void fail(std::string const& setting, std::string const& what) {
  throw control::TomlError(place_of(setting), what);
}

std::optional<toml::table> parsed(std::string const& value, std::string const& setting) {
  try {
    return toml::parse("value = " + value, option_of(setting));
  } catch (toml::parse_error const&) {
    return std::nullopt;
  }
}

toml::node& entry_of(toml::array& entries, std::string const& key, std::string const& number,
                     std::string const& setting) {
  auto const index = control::whole_number(number, 0, std::numeric_limits<std::int32_t>::max());
  if (!index || *index >= entries.size())
    fail(setting, fmt::format("'{}' must be the number of an entry of {}: it has {}, the first is 0", number,
                              key, entries.size()));
  return entries[static_cast<std::size_t>(*index)];
}

} // namespace

void set(toml::table& document, std::string const& setting) {
  std::size_t const equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    fail(setting, "expected KEY=VALUE, as in cpus.scheduler=credit2");
  std::string const path = setting.substr(0, equals);
  std::string const value = setting.substr(equals + 1);

  toml::node* at = &document;
  std::size_t begin = 0;
  for (std::size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1) {
    std::string const part = path.substr(begin, dot - begin);
    if (toml::array* const entries = at->as_array()) {
      at = &entry_of(*entries, path.substr(0, begin - 1), part, setting);
    } else if (toml::table* const table = at->as_table()) {
      if (!table->contains(part)) table->insert(toml::key(part, place_of(setting)), toml::table{});
      at = table->get(part);
    } else {
      break;
    }
  }
  toml::table* const table = at->as_table();
  if (table == nullptr)
    fail(setting, fmt::format("'{}' has no keys; entries of a list have numbers, as in domain.0.weight",
                              path.substr(0, begin == 0 ? 0 : begin - 1)));

  auto read = parsed(value, setting);
  if (!read) read = parsed("'" + value + "'", setting);
  if (!read) fail(setting, "the value is neither valid TOML nor a string without quotes");
  toml::key key(path.substr(begin), place_of(setting));
  std::move(*read->get("value")).visit([&](auto&& node) { // moved: a copy would not know where it is from
    table->insert_or_assign(std::move(key), std::forward<decltype(node)>(node));
  });
}

} // namespace pegasus::sim
