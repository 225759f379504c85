// SPDX-License-Identifier: Apache-2.0
// pegasusctl accelerators: what the daemon schedules on, and the source of its CPU schedule.
#include "control/figure_values.h"
#include "ctl/commands/command.h"
#include "ctl/commands/figure_json.h"
#include "ctl/commands/views.h"
#include "ctl/text/size.h"
#include "ctl/text/table.h"

#include <fmt/core.h>
#include <memory>

namespace pegasus::ctl {
namespace {

std::string capability(std::uint32_t number) { return fmt::format("{}.{}", number / 10, number % 10); }

Result<void> show_placements(CommandContext const& context, bool wide) {
  control::Request request;
  request.mutable_domains();
  auto const reply = context.ask(request, control::Reply::kDomains);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(placements_json(reply->domains()))
                      : print(placements_table(reply->domains(), shown_here(wide)));
}

Result<void> show_accelerators(CommandContext const& context, bool wide) {
  control::Request request;
  request.mutable_accelerators();
  auto const reply = context.ask(request, control::Reply::kAccelerators);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(accelerators_json(reply->accelerators()))
                      : print(accelerators_table(reply->accelerators(), shown_here(wide)));
}

std::string_view state_of(control::Domain const& domain) {
  return domain.waiting() ? "waits" : domain.not_admitted().empty() ? "placed" : "refused";
}

double seconds_of(control::Domain const& domain) {
  return static_cast<double>(domain.not_admitted_ns()) / 1e9;
}

// A domain that has not asked yet has no place and no reason.
std::string why_of(control::Domain const& domain) {
  if (domain.waiting())
    return fmt::format("waits for {:.0f} s: {}", seconds_of(domain), domain.not_admitted());
  if (!domain.not_admitted().empty())
    return fmt::format("refused {:.0f} s ago: {}", seconds_of(domain), domain.not_admitted());
  return domain.placement();
}

} // namespace

std::string placements_table(control::Domains const& domains, Shown const& shown) {
  Table table({{"DOMAIN", Align::left},
               {.title = "ON", .spared = 2},
               {.title = "TASKS", .spared = 1},
               {.title = "WHY", .align = Align::left, .text = true}});
  for (control::Domain const& domain : domains.domain())
    if (std::string const why = why_of(domain); !why.empty())
      table.add_row({domain.name(),
                     domain.not_admitted().empty() ? fmt::format("{}", domain.accelerator()) : "-",
                     fmt::format("{}", domain.task_size()), why});
  return table.text(shown) + table.left_out(shown);
}

std::string accelerators_table(control::Accelerators const& accelerators, Shown const& shown) {
  Table table({{"#"},
               {.title = "ACCELERATOR", .align = Align::left, .text = true},
               {.title = "KIND", .align = Align::left, .spared = 4},
               {.title = "COMPUTE", .spared = 2},
               {.title = "MEMORY", .spared = 9},
               {.title = "USED", .spared = 8},
               {.title = "DOMAINS", .spared = 6},
               {.title = "TASKS", .spared = 7},
               {.title = "PAGEABLE", .spared = 1},
               {.title = "UTILIZATION", .spared = 10},
               {.title = "MMR", .spared = 5},
               {.title = "POLICY", .align = Align::left, .spared = 11},
               {.title = "CPU SCHEDULE", .align = Align::left, .spared = 3}});
  for (control::Accelerator const& accelerator : accelerators.accelerator()) {
    control::AcceleratorFigures const f = control::figures_of(accelerator);
    table.add_row({fmt::format("{}", accelerator.index()), accelerator.name(), accelerator.kind(),
                   capability(accelerator.compute_capability()), format_size(f.memory_bytes),
                   format_size(f.memory_used_bytes), fmt::format("{}", f.domains), fmt::format("{}", f.tasks),
                   fmt::format("{}", f.pageable_tasks), percent(f.utilization), fmt::format("{:.3f}", f.mmr),
                   accelerator.policy(), accelerator.schedule_source()});
  }
  return table.text(shown) + table.left_out(shown);
}

Json placements_json(control::Domains const& domains) {
  Json list = Json::array();
  for (control::Domain const& domain : domains.domain()) {
    bool const placed = domain.not_admitted().empty();
    if (placed && domain.placement().empty()) continue;
    list.push_back({{"domain", domain.name()},
                    {"state", state_of(domain)},
                    {"accelerator", placed ? Json(domain.accelerator()) : Json()},
                    {"tasks", domain.task_size()},
                    {"for_s", placed ? Json() : Json(json_number(seconds_of(domain)))},
                    {"why", placed ? domain.placement() : domain.not_admitted()}});
  }
  return {{"placements", std::move(list)}};
}

Json accelerators_json(control::Accelerators const& accelerators) {
  Json list = Json::array();
  for (control::Accelerator const& accelerator : accelerators.accelerator()) {
    Json document{{"index", accelerator.index()},
                  {"name", accelerator.name()},
                  {"kind", accelerator.kind()},
                  {"compute_capability", capability(accelerator.compute_capability())}};
    add_figures(document, control::figures_of(accelerator));
    if (accelerator.kind() == "cuda") // a GPU changes its context without telling
      document["switches"] = document["switching_ns"] = nullptr;
    document["policy"] = accelerator.policy();
    document["schedule_source"] = accelerator.schedule_source();
    list.push_back(std::move(document));
  }
  return {{"accelerators", std::move(list)}};
}

void add_accelerators_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("accelerators", "list the accelerators, their memory and their tasks");
  auto const why = std::make_shared<bool>(false);
  command->add_flag(
      "--why", *why,
      "which domain is on which and what spoke for it; which waits or was refused, and for what");
  auto const wide = add_wide(*command);
  command->callback([&context, why, wide] {
    context.result = *why ? show_placements(context, *wide) : show_accelerators(context, *wide);
  });
}

} // namespace pegasus::ctl
