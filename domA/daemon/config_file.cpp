// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/config_file.h"

#include "control/toml_table.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace pegasus::daemon {
namespace {

// As on the command line.
std::string word_of(toml::node const& node, std::string const& key) {
  if (auto const text = node.value_exact<std::string>()) return *text;
  if (auto const number = node.value_exact<std::int64_t>()) return fmt::format("{}", *number);
  if (auto const number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (auto const is = node.value_exact<bool>()) return *is ? "true" : "false";
  control::TomlTable::fail(node, fmt::format("{} must be a text, a number, true or false", key));
}

std::vector<std::string> words_of(toml::node const& node, std::string const& key) {
  if (!node.is_array()) return {word_of(node, key)};
  std::vector<std::string> words;
  for (toml::node const& each : *node.as_array())
    words.push_back(word_of(each, fmt::format("each entry of {}", key)));
  return words;
}

[[noreturn]] void refuse(std::string const& why) {
  fmt::print(stderr, "pegasusd: {}\nRun with --help for more information.\n", why);
  std::exit(2);
}

} // namespace

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& file) const {
  toml::table const document = toml::parse(file);
  control::TomlTable table(document, "pegasusd");
  std::vector<CLI::ConfigItem> found;
  for (CLI::Option const* const option : app_.get_options({})) {
    if (!option->get_configurable() || option->get_lnames().empty()) continue;
    std::string const& key = option->get_lnames().front();
    toml::node const* const node = table.find(key);
    if (node == nullptr) continue;
    if (option->count() == 0) places_["--" + key] = node->source(); // else what the command line has counts
    CLI::ConfigItem& item = found.emplace_back();
    item.name = key;
    item.inputs = words_of(*node, key);
  }
  table.no_other_keys();
  return found;
}

std::optional<toml::source_region> ConfigFile::where(std::string const& option) const {
  auto const found = places_.find(option);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

ConfigArguments::ConfigArguments(CLI::App& app) : file_(std::make_shared<ConfigFile>(app)) {
  app.config_formatter(file_);
  path_ = app.set_config("--config", "", "read options from a file (TOML): tick-ms = 5, policy = \"rr\"");
  app.add_flag("--check-config", only_check_, "only check the options, also those of --config")
      ->configurable(false);
}

void ConfigArguments::parse(CLI::App& app, int argc, char** argv, std::function<void()> const& check) const {
  try {
    app.parse(argc, argv);
    check();
  } catch (CLI::Success const& success) { // --help
    std::exit(app.exit(success));
  } catch (CLI::ParseError const& error) {
    refuse(text_of(error));
  } catch (control::TomlError const& error) {
    refuse(control::error_at(error.where, name(), error.what()));
  } catch (toml::parse_error const& error) {
    refuse(control::error_at(error.source(), name(), error.description()));
  }
  if (!only_check_) return;
  fmt::print("the options are right\n");
  std::exit(0);
}

// With the place in the file, if the value is from there.
std::string ConfigArguments::text_of(CLI::Error const& error) const {
  std::string const what = error.what();
  auto const where = file_->where(what.substr(0, what.find(':')));
  return where ? control::error_at(*where, name(), what) : what;
}

} // namespace pegasus::daemon
