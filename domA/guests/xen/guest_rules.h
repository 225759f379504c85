// SPDX-License-Identifier: Apache-2.0
// An operator's rules for guests that shall have an accelerator from their creation on, under any toolstack: files *.toml of one
// directory, each with tables [[guest]] that name guests, by name or UUID, and give settings as `pegasusctl attach` takes them.
#pragma once

#include "control/settings.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pegasus::xen {

class GuestRules {
public:
  // The files in the order of their names; none if there is no such directory. Of a file with an error nothing counts.
  [[nodiscard]] static GuestRules read(std::filesystem::path const& directory);

  // One for each file that does not count: which, where, why.
  [[nodiscard]] std::vector<std::string> const& problems() const& { return problems_; }
  [[nodiscard]] std::vector<std::string> problems() && { return std::move(problems_); }
  // By the guest's UUID if a rule names it, else by the first rule with such a name.
  [[nodiscard]] std::optional<control::Settings> find(std::string_view name, std::string_view uuid) const;

private:
  struct Rule {
    std::string name; // may have *, ? and [...], as a shell's patterns
    std::string uuid; // in lower case; one of both is empty
    control::Settings settings;
  };
  // Throws TomlError or toml::parse_error.
  [[nodiscard]] static std::vector<Rule> read_file(std::filesystem::path const& file);

  std::vector<Rule> rules_;
  std::vector<std::string> problems_;
};

} // namespace pegasus::xen
