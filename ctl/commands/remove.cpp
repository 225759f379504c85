// SPDX-License-Identifier: Apache-2.0
// pegasusctl remove: forgets a local domain and its settings.
#include "cli/options.h"
#include "ctl/commands/command.h"

#include <memory>

namespace pegasus::ctl {
namespace {

Result<void> remove_domain(CommandContext const& context, std::string const& name, bool kill) {
  control::Request request;
  request.mutable_remove()->set_name(name);
  request.mutable_remove()->set_kill(kill);
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  if (context.json) return print_json(Json{{"domain", name}, {"done", true}});
  return {};
}

} // namespace

void add_remove_command(CLI::App& app, CommandContext& context) {
  struct Arguments {
    std::string domain;
    bool kill = false;
  };
  CLI::App* const command = app.add_subcommand("remove", "forget a domain and what was set of it");
  auto const arguments = std::make_shared<Arguments>();
  cli::add_text(*command, "DOMAIN", arguments->domain, "the domain's name")->required();
  command->add_flag("--kill", arguments->kill, "end its tasks, if it has some");
  command->callback(
      [&context, arguments] { context.result = remove_domain(context, arguments->domain, arguments->kill); });
}

} // namespace pegasus::ctl
