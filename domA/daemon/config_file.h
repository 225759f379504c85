// SPDX-License-Identifier: Apache-2.0
// pegasusd's options from a TOML file. Each key is an option's name without its dashes; a key that is none is an
// error that says where it stands and which keys there are.
#pragma once

#include "cli/usage_error.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace pegasus::daemon {

class ConfigFile final : public CLI::Config {
public:
  explicit ConfigFile(CLI::App const& app) : app_(app) {}

  // Throws control::TomlError or toml::parse_error, without the file's name.
  std::vector<CLI::ConfigItem> from_config(std::istream& file) const override;
  std::string to_config(CLI::App const*, bool, bool, std::string) const override { return {}; }

  // Where the value of that option ("--tick") stands; nullopt: it is not from the file.
  [[nodiscard]] std::optional<toml::source_region> where(std::string const& option) const;

private:
  CLI::App const& app_;
  mutable std::map<std::string, toml::source_region> places_; // of the options, with their dashes
};

// --config and --check-config.
class ConfigArguments {
public:
  explicit ConfigArguments(CLI::App& app);
  // Parses the command line, and the file that it names; what the command line has goes first. `check` throws
  // CLI::ValidationError. Ends the program if there is an error, or nothing else is to be done.
  void parse(CLI::App& app, int argc, char** argv, std::function<void()> const& check) const;

  [[nodiscard]] bool only_checks() const { return only_check_; }

private:
  [[nodiscard]] std::string name() const { return path_->as<std::string>(); }
  [[nodiscard]] cli::UsageError with_place(cli::UsageError error) const;

  std::shared_ptr<ConfigFile> file_;
  CLI::Option* path_;
  bool only_check_ = false;
};

} // namespace pegasus::daemon
