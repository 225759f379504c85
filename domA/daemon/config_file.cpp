// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/config_file.h"

#include "cli/command_line.h"
#include "cli/words.h"
#include "control/toml_table.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace pegasus::daemon {
namespace {

// A list is the value of an option that takes several, or one value with commas in it.
std::vector<std::string> words_of(CLI::Option const& option, toml::node const& node, std::string const& key) {
  if (!node.is_array()) return {control::word_of(node, key)};
  std::vector<std::string> words;
  for (toml::node const& each : *node.as_array())
    words.push_back(control::word_of(each, fmt::format("each entry of {}", key)));
  if (option.get_items_expected_max() == 1) return {cli::joined(words, ",")};
  return words;
}

std::string key_of(CLI::Option const& option) {
  bool const has_key = option.get_configurable() && !option.get_lnames().empty();
  return has_key ? option.get_lnames().front() : "";
}

// An option that there is not, or that only the command line has.
void refuse_other_keys(CLI::App const& app, toml::table const& document) {
  for (auto const& [key, node] : document) {
    std::string const name(key.str());
    auto const options = app.get_options({});
    if (std::ranges::find(options, name, [](CLI::Option const* option) { return key_of(*option); }) !=
        options.end())
      continue;
    bool const on_the_command_line = app.get_option_no_throw("--" + name) != nullptr;
    throw control::TomlError(key.source(), on_the_command_line
                                               ? fmt::format("'{}' is for the command line only", name)
                                               : cli::unknown_word(app, app, "--" + name).what);
  }
}

} // namespace

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& file) const {
  toml::table const document = toml::parse(file);
  refuse_other_keys(app_, document);
  std::vector<CLI::ConfigItem> found;
  for (CLI::Option const* const option : app_.get_options({})) {
    std::string const key = key_of(*option);
    toml::node const* const node = key.empty() ? nullptr : document.get(key);
    if (node == nullptr) continue;
    if (option->count() == 0) places_["--" + key] = node->source(); // else what the command line has counts
    CLI::ConfigItem& item = found.emplace_back();
    item.name = key;
    item.inputs = words_of(*option, *node, key);
  }
  return found;
}

std::optional<toml::source_region> ConfigFile::where(std::string const& option) const {
  auto const found = places_.find(option);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

ConfigArguments::ConfigArguments(CLI::App& app) : file_(std::make_shared<ConfigFile>(app)) {
  app.config_formatter(file_);
  path_ = app.set_config("--config", "", "read options from a file (TOML): tick = \"5ms\", policy = \"rr\"")
              ->option_text("FILE");
  app.add_flag("--check-config", only_check_, "only check the options, also those of --config")
      ->configurable(false);
}

void ConfigArguments::parse(CLI::App& app, int argc, char** argv, std::function<void()> const& check) const {
  auto const refuse = [&app](cli::UsageError const& error) { std::exit(cli::report(app, error)); };
  try {
    app.parse(argc, argv);
    check();
  } catch (CLI::Success const& asked) {
    std::exit(cli::answer(app, asked));
  } catch (CLI::ParseError const& error) {
    refuse(with_place(cli::usage_error(app, error)));
  } catch (control::TomlError const& error) {
    refuse({.what = control::error_at(error.where, name(), error.what())});
  } catch (toml::parse_error const& error) {
    refuse({.what = control::error_at(error.source(), name(), error.description())});
  }
  if (!only_check_) return;
  fmt::print("the options are valid\n");
  std::exit(0);
}

// With the place in the file, if the value is from there.
cli::UsageError ConfigArguments::with_place(cli::UsageError error) const {
  auto const where = file_->where(error.what.substr(0, error.what.find(':')));
  if (where) error.what = control::error_at(*where, name(), error.what);
  return error;
}

} // namespace pegasus::daemon
