// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/set.h"

#include "cli/options.h"
#include "cli/printable.h"
#include "control/settings.h"
#include "ctl/commands/command.h"

#include <fmt/core.h>
#include <memory>

namespace pegasus::ctl {
namespace {

Result<void> set_domain(CommandContext const& context, std::string const& name, bool create,
                        std::vector<std::string> const& words) {
  if (auto checked = check_settings(words); !checked) return checked;
  control::Request request;
  control::SetDomain& change = *request.mutable_set_domain();
  change.set_name(name);
  change.set_create(create);
  change.mutable_setting()->Add(words.begin(), words.end());
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  if (context.json) return print_json(Json{{"domain", name}, {"done", true}});
  return {};
}

} // namespace

Result<void> check_settings(std::vector<std::string> const& words) {
  if (words.empty())
    return fail(FailureKind::usage, fmt::format("nothing to set: {}", control::settings_help()));
  control::Settings settings;
  return control::apply_settings(words, settings).map_error([](std::string const& problem) {
    return Failure{FailureKind::usage, cli::printable(problem)};
  });
}

void add_set_command(CLI::App& app, CommandContext& context) {
  struct Arguments {
    std::string domain;
    std::vector<std::string> settings;
    bool create = false;
  };
  CLI::App* const command = app.add_subcommand("set", "change a domain's settings");
  auto const arguments = std::make_shared<Arguments>();
  cli::add_text(*command, "DOMAIN", arguments->domain, "the domain's name")->required();
  cli::add_texts(*command, "SETTING", arguments->settings, control::settings_help());
  command->add_flag("--create", arguments->create, "make the domain if there is none of this name");
  command->callback([&context, arguments] {
    context.result = set_domain(context, arguments->domain, arguments->create, arguments->settings);
  });
}

} // namespace pegasus::ctl
