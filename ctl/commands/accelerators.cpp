// SPDX-License-Identifier: Apache-2.0
// pegasusctl accelerators: what the daemon schedules on, and where it learns the CPU schedule.
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"
#include "ctl/text/size.h"
#include "ctl/text/table.h"

#include <fmt/core.h>

namespace pegasus::ctl {
namespace {

std::string capability(std::uint32_t number) { return fmt::format("{}.{}", number / 10, number % 10); }

Result<void> show_accelerators(CommandContext const& context) {
  control::Request request;
  request.mutable_accelerators();
  auto const reply = context.ask(request, control::Reply::kAccelerators);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(accelerators_json(reply->accelerators()))
                      : print(accelerators_table(reply->accelerators()));
}

} // namespace

std::string accelerators_table(control::Accelerators const& accelerators) {
  Table table({{"#"},
               {"ACCELERATOR", Align::left},
               {"KIND", Align::left},
               {"COMPUTE"},
               {"MEMORY"},
               {"USED"},
               {"DOMAINS"},
               {"TASKS"},
               {"UTILIZATION"},
               {"MMR"},
               {"POLICY", Align::left},
               {"CPU SCHEDULE", Align::left}});
  for (control::Accelerator const& one : accelerators.accelerator())
    table.add_row({fmt::format("{}", one.index()), one.name(), one.kind(),
                   capability(one.compute_capability()), format_size(one.memory_bytes()),
                   format_size(one.memory_used_bytes()), fmt::format("{}", one.domains()),
                   fmt::format("{}", one.tasks()), percent(one.utilization()),
                   fmt::format("{:.3f}", one.mmr()), one.policy(), one.schedule_source()});
  return table.text();
}

Json accelerators_json(control::Accelerators const& accelerators) {
  Json list = Json::array();
  for (control::Accelerator const& one : accelerators.accelerator())
    list.push_back({{"index", one.index()},
                    {"name", one.name()},
                    {"kind", one.kind()},
                    {"compute_capability", capability(one.compute_capability())},
                    {"memory_bytes", one.memory_bytes()},
                    {"memory_used_bytes", one.memory_used_bytes()},
                    {"domains", one.domains()},
                    {"tasks", one.tasks()},
                    {"utilization", json_number(one.utilization())},
                    {"mmr", json_number(one.mmr())},
                    {"policy", one.policy()},
                    {"schedule_source", one.schedule_source()}});
  return {{"accelerators", std::move(list)}};
}

void add_accelerators_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("accelerators", "list the accelerators, their memory and their tasks");
  command->callback([&context] { context.result = show_accelerators(context); });
}

} // namespace pegasus::ctl
