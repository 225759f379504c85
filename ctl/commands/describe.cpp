// SPDX-License-Identifier: Apache-2.0
// pegasusctl describe: what the tasks of a domain hold, as their workers count it.
#include "cli/options.h"
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"
#include "ctl/text/table.h"

#include <fmt/core.h>
#include <memory>

namespace pegasus::ctl {
namespace {

Result<void> describe(CommandContext const& context, std::string const& domain, bool wide) {
  control::Request request;
  request.mutable_describe()->set_domain(domain);
  auto const reply = context.ask(request, control::Reply::kDescription);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(description_json(reply->description()))
                      : print(description_table(reply->description(), shown_here(wide)));
}

} // namespace

std::string description_table(control::Description const& description, Shown const& shown) {
  Table table({{.title = "TASK"},
               {.title = "PID", .spared = 2},
               {.title = "PROGRAM", .align = Align::left, .text = true},
               {.title = "MEMORY MiB"},
               {.title = "MODULES"},
               {.title = "FUNCTIONS", .spared = 1},
               {.title = "STREAMS"},
               {.title = "EVENTS"},
               {.title = "GRAPHS"},
               {.title = "NOTE", .align = Align::left, .spared = 3, .text = true}});
  for (control::DescribedTask const& task : description.task()) {
    std::vector<std::string> row{fmt::format("{}", task.id()), fmt::format("{}", task.pid()), task.program()};
    control::Holdings const& held = task.holdings();
    bool const counted = task.error().empty();
    row.push_back(counted ? fmt::format("{:.1f}", static_cast<double>(held.memory_bytes()) / (1 << 20))
                          : "-");
    for (std::uint64_t const count :
         {held.modules(), held.functions(), held.streams(), held.events(), held.graphs()})
      row.push_back(counted ? fmt::format("{}", count) : "-");
    row.push_back(task.error());
    table.add_row(std::move(row));
  }
  return table.text(shown) + table.left_out(shown);
}

Json description_json(control::Description const& description) {
  Json list = Json::array();
  for (control::DescribedTask const& task : description.task()) {
    Json entry = {{"task", task.id()}, {"pid", task.pid()}, {"program", task.program()}};
    control::Holdings const& held = task.holdings();
    if (task.error().empty())
      entry.update({{"memory_bytes", held.memory_bytes()},
                    {"modules", held.modules()},
                    {"functions", held.functions()},
                    {"streams", held.streams()},
                    {"events", held.events()},
                    {"graphs", held.graphs()},
                    {"graph_bytes", held.graph_bytes()}});
    else
      entry["error"] = task.error();
    list.push_back(std::move(entry));
  }
  return {{"tasks", std::move(list)}};
}

void add_describe_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand(
      "describe", "show what the tasks of a domain hold; each loses the accelerator for a moment");
  auto const domain = std::make_shared<std::string>();
  cli::add_text(*command, "DOMAIN", *domain, "the domain's name")->required();
  auto const wide = add_wide(*command);
  command->callback([&context, domain, wide] { context.result = describe(context, *domain, *wide); });
}

} // namespace pegasus::ctl
