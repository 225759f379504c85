// SPDX-License-Identifier: Apache-2.0
// pegasusctl policies, and pegasusctl policy [NAME].
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"
#include "ctl/text/printable.h"
#include "ctl/text/table.h"

#include <fmt/core.h>
#include <memory>

namespace pegasus::ctl {

std::string policies_table(control::Policies const& policies) {
  Table table(
      {{"", Align::left}, {"POLICY", Align::left}, {"SOURCE", Align::left}, {"SUMMARY", Align::left}});
  for (control::Policy const& policy : policies.policy())
    table.add_row({policy.active() ? "*" : "", policy.name(), policy.source(), policy.summary()});
  return table.text();
}

Json policy_json(control::Policy const& policy) {
  return {{"name", policy.name()},
          {"source", policy.source()},
          {"summary", policy.summary()},
          {"active", policy.active()}};
}

Json policies_json(control::Policies const& policies) {
  Json list = Json::array();
  for (control::Policy const& policy : policies.policy())
    list.push_back(policy_json(policy));
  return {{"policies", std::move(list)}};
}

namespace {

Result<void> show_policies(CommandContext const& context) {
  control::Request request;
  request.mutable_policies();
  auto const reply = context.ask(request, control::Reply::kPolicies);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(policies_json(reply->policies()))
                      : print(policies_table(reply->policies()));
}

Result<void> show_or_switch_policy(CommandContext const& context, std::string const& name) {
  control::Request request;
  request.mutable_policy()->set_name(name);
  auto const reply = context.ask(request, control::Reply::kPolicy);
  if (!reply) return tl::unexpected(reply.error());
  control::Policy const& policy = reply->policy();
  if (context.json) return print_json(policy_json(policy));
  return print(fmt::format("{} ({}): {}\n", printable(policy.name()), printable(policy.source()),
                           printable(policy.summary())));
}

} // namespace

void add_policies_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("policies", "list the scheduling policies; * marks the one in use");
  command->callback([&context] { context.result = show_policies(context); });
}

void add_policy_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand("policy", "show the policy in use, or switch to NAME");
  auto const name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "the policy to switch to");
  command->callback([&context, name] { context.result = show_or_switch_policy(context, *name); });
}

} // namespace pegasus::ctl
