// SPDX-License-Identifier: Apache-2.0
// One table of a TOML document whose keys are all known: each key is read at most once, with the range of its
// value, and a key that was never read is an error. Errors carry line and column.
#pragma once

#include "policies/view.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

namespace pegasus::control {

struct TomlError : std::runtime_error {
  TomlError(toml::source_region where_it_is, std::string const& what)
      : std::runtime_error(what), where(std::move(where_it_is)) {}
  toml::source_region where;
};

// What is wrong in the document `name`, after the place; that may have been given beside the document, by its path.
[[nodiscard]] std::string error_at(toml::source_region const& where, std::string_view name,
                                   std::string_view what);

// The value of `key` as on a command line. Throws TomlError if it is a list or a table.
[[nodiscard]] std::string word_of(toml::node const& node, std::string const& key);

class TomlTable {
public:
  // `what`: for errors, such as "a domain".
  TomlTable(toml::table const& table, std::string what) : table_(table), what_(std::move(what)) {}

  // nullptr if the key is missing.
  [[nodiscard]] toml::node const* find(std::string_view key);
  // The value, or `usual` if the key is missing.
  [[nodiscard]] std::string text(std::string_view key, std::string const& usual);
  [[nodiscard]] std::uint64_t whole(std::string_view key, std::uint64_t usual, std::uint64_t least,
                                    std::uint64_t most);
  [[nodiscard]] double number(std::string_view key, double usual, double least, double most);
  [[nodiscard]] policies::Nanos time(std::string_view key, policies::Nanos usual, policies::Nanos least,
                                     policies::Nanos most);
  // Whole numbers or texts; an empty list if the key is missing.
  [[nodiscard]] std::vector<std::uint64_t> wholes(std::string_view key, std::uint64_t most);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  // Each table of [[key]], in their order.
  void for_each(std::string_view key, std::function<void(TomlTable&)> const& read);

  // Call when all keys have been read.
  void no_other_keys() const;
  [[noreturn]] void fail(std::string const& what) const; // at the table
  [[noreturn]] static void fail(toml::node const& node, std::string const& what);

private:
  toml::table const& table_;
  std::string what_;
  std::set<std::string, std::less<>> known_;
};

} // namespace pegasus::control
