// SPDX-License-Identifier: Apache-2.0
// pegasusctl log: the last scheduling decisions, oldest first.
#include "cli/options.h"
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"
#include "ctl/text/table.h"

#include <fmt/core.h>
#include <limits>
#include <memory>

namespace pegasus::ctl {
namespace {

constexpr std::uint32_t default_entries = 20; // about a screen

double in_ms(std::uint64_t ns) { return static_cast<double>(ns) * 1e-6; }

std::string joined(google::protobuf::RepeatedPtrField<std::string> const& names) {
  std::string all;
  for (std::string const& name : names)
    all += (all.empty() ? "" : ",") + name;
  return all.empty() ? "-" : all; // "-": the accelerator was idle
}

Result<void> show_log(CommandContext const& context, std::uint32_t entries, bool wide) {
  control::Request request;
  request.mutable_log()->set_entries(entries);
  auto const reply = context.ask(request, control::Reply::kLog);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(log_json(reply->log())) : print(log_table(reply->log(), shown_here(wide)));
}

} // namespace

std::string log_table(control::Log const& log, Shown const& shown) {
  Table table({{.title = "AT s", .spared = 6},
               {.title = "ON", .spared = 3},
               {.title = "POLICY", .align = Align::left, .spared = 1},
               {.title = "RAN", .align = Align::left, .text = true},
               {.title = "FOR ms", .spared = 5},
               {.title = "DEVICE ms", .spared = 2},
               {.title = "ENDED BY", .align = Align::left, .spared = 4}});
  for (control::LogEntry const& entry : log.entry())
    table.add_row({fmt::format("{:.4f}", in_ms(entry.at_ns()) * 1e-3), fmt::format("{}", entry.accelerator()),
                   entry.policy(), joined(entry.domain()), fmt::format("{:.3f}", in_ms(entry.ran_ns())),
                   fmt::format("{:.3f}", in_ms(entry.device_busy_ns())), entry.ended()});
  return table.text(shown) + table.left_out(shown);
}

Json log_json(control::Log const& log) {
  Json list = Json::array();
  for (control::LogEntry const& entry : log.entry()) {
    Json domains = Json::array();
    for (std::string const& name : entry.domain())
      domains.push_back(name);
    list.push_back({{"at_ns", entry.at_ns()},
                    {"accelerator", entry.accelerator()},
                    {"policy", entry.policy()},
                    {"domains", std::move(domains)},
                    {"ran_ns", entry.ran_ns()},
                    {"device_busy_ns", entry.device_busy_ns()},
                    {"ended", entry.ended()}});
  }
  return {{"log", std::move(list)}};
}

void add_log_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand("log", "show the last scheduling decisions");
  auto const entries = std::make_shared<std::uint32_t>(default_entries);
  cli::add_number(*command, "-n,--entries COUNT", *entries, "how many; 0: all that are kept", 0,
                  std::numeric_limits<std::uint32_t>::max());
  auto const wide = add_wide(*command);
  command->callback([&context, entries, wide] { context.result = show_log(context, *entries, *wide); });
}

} // namespace pegasus::ctl
