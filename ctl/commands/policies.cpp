// SPDX-License-Identifier: Apache-2.0
// pegasusctl policies, and pegasusctl policy [NAME].
#include "cli/options.h"
#include "cli/printable.h"
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"
#include "ctl/text/table.h"

#include <fmt/core.h>
#include <memory>
#include <string>
#include <vector>

namespace pegasus::ctl {

std::string policies_table(control::Policies const& policies, Shown const& shown) {
  Table table({{"", Align::left},
               {"POLICY", Align::left},
               {.title = "SOURCE", .align = Align::left, .spared = 2},
               {.title = "SUMMARY", .align = Align::left, .spared = 3, .text = true},
               {.title = "TUNABLES", .align = Align::left, .spared = 1}});
  for (control::Policy const& policy : policies.policy()) {
    std::string tunables;
    for (control::Tunable const& tunable : policy.tunable())
      tunables += (tunables.empty() ? "" : " ") + tunable.name() + "=" + tunable.value();
    table.add_row({policy.active() ? "*" : "", policy.name(), policy.source(), policy.summary(), tunables});
  }
  return table.text(shown) + table.left_out(shown);
}

Json policy_json(control::Policy const& policy) {
  Json tunables = Json::object();
  for (control::Tunable const& tunable : policy.tunable())
    tunables[tunable.name()] = {{"value", tunable.value()},
                                {"usual", tunable.usual()},
                                {"range", tunable.range()},
                                {"summary", tunable.summary()}};
  return {{"name", policy.name()},     {"source", policy.source()},       {"summary", policy.summary()},
          {"active", policy.active()}, {"exclusive", policy.exclusive()}, {"tunables", std::move(tunables)}};
}

std::string policy_text(control::Policy const& policy) {
  std::string text = fmt::format("{} ({}): {}\n", cli::printable(policy.name()),
                                 cli::printable(policy.source()), cli::printable(policy.summary()));
  for (control::Tunable const& tunable : policy.tunable())
    text += fmt::format("  {}={}: {}; {}, usually {}\n", cli::printable(tunable.name()),
                        cli::printable(tunable.value()), cli::printable(tunable.summary()),
                        cli::printable(tunable.range()), cli::printable(tunable.usual()));
  return text;
}

Json policies_json(control::Policies const& policies) {
  Json list = Json::array();
  for (control::Policy const& policy : policies.policy())
    list.push_back(policy_json(policy));
  return {{"policies", std::move(list)}};
}

namespace {

Result<void> show_policies(CommandContext const& context, bool wide) {
  control::Request request;
  request.mutable_policies();
  auto const reply = context.ask(request, control::Reply::kPolicies);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(policies_json(reply->policies()))
                      : print(policies_table(reply->policies(), shown_here(wide)));
}

Result<void> show_or_switch_policy(CommandContext const& context, std::string const& name,
                                   std::vector<std::string> const& settings) {
  control::Request request;
  request.mutable_policy()->set_name(name);
  for (std::string const& setting : settings)
    request.mutable_policy()->add_setting(setting);
  auto const reply = context.ask(request, control::Reply::kPolicy);
  if (!reply) return tl::unexpected(reply.error());
  control::Policy const& policy = reply->policy();
  return context.json ? print_json(policy_json(policy)) : print(policy_text(policy));
}

} // namespace

void add_policies_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("policies", "list the scheduling policies; * marks the one in use");
  auto const wide = add_wide(*command);
  command->callback([&context, wide] { context.result = show_policies(context, *wide); });
}

void add_policy_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand("policy", "show the policy in use, or switch to NAME");
  auto const name = std::make_shared<std::string>();
  auto const settings = std::make_shared<std::vector<std::string>>();
  cli::add_text(*command, "NAME", *name, "the policy to switch to, as in fair or fair:slice=2ms");
  cli::add_texts(*command, "SETTING", *settings, "a tunable of it, as in slice=2ms; the rest is as usual");
  command->callback(
      [&context, name, settings] { context.result = show_or_switch_policy(context, *name, *settings); });
}

} // namespace pegasus::ctl
