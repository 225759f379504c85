// SPDX-License-Identifier: Apache-2.0
// pegasusctl freeze and thaw: a domain gives its accelerator's memory back and waits, and goes on.
#include "cli/options.h"
#include "ctl/commands/command.h"

#include <fmt/core.h>
#include <memory>
#include <string>

namespace pegasus::ctl {
namespace {

using Verb = control::Freeze* (control::Request::*)();

Result<void> ask(CommandContext const& context, Verb verb, std::string const& domain) {
  control::Request request;
  (request.*verb)()->set_domain(domain);
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  std::string const& notice = reply->done().notice();
  if (context.json) return print_json(Json{{"domain", domain}, {"done", true}, {"notice", notice}});
  return notice.empty() ? Result<void>() : print(fmt::format("domain {}: {}\n", domain, notice));
}

void add(CLI::App& app, CommandContext& context, Verb verb, char const* name, char const* help) {
  CLI::App* const command = app.add_subcommand(name, help);
  auto const domain = std::make_shared<std::string>();
  cli::add_text(*command, "DOMAIN", *domain, "the domain's name")->required();
  command->callback([&context, verb, domain] { context.result = ask(context, verb, *domain); });
}

} // namespace

void add_freeze_command(CLI::App& app, CommandContext& context) {
  add(app, context, &control::Request::mutable_freeze, "freeze",
      "let a domain's programs wait, and their accelerator memory go to host memory");
}

void add_thaw_command(CLI::App& app, CommandContext& context) {
  add(app, context, &control::Request::mutable_thaw, "thaw", "let a frozen domain go on");
}

} // namespace pegasus::ctl
