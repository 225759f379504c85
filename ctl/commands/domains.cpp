// SPDX-License-Identifier: Apache-2.0
// pegasusctl domains: each domain with its entitlement, what it received, and its tasks.
#include "control/figure_values.h"
#include "control/quantity.h"
#include "ctl/commands/command.h"
#include "ctl/commands/figure_json.h"
#include "ctl/commands/views.h"
#include "ctl/text/size.h"
#include "ctl/text/table.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pegasus::ctl {
namespace {

using D = control::Domain;
using F = control::DomainFigures;

std::string memory(D const&, F const& f) {
  std::string const used = format_size(f.memory_used_bytes);
  return f.memory_limited ? used + "/" + format_size(f.memory_limit_bytes) : used;
}

std::string seconds(std::uint64_t nanoseconds) {
  return fmt::format("{:.3f}", static_cast<double>(nanoseconds) * 1e-9);
}

// Seconds in which the SLO was missed, of the seconds that count.
std::string missed(D const&, F const& f) {
  return f.slo > 0 ? fmt::format("{}/{}", f.slo_violations, f.slo_periods) : "-";
}

// Fraction of its device time in which it was also on a CPU.
std::string on_cpu(D const&, F const& f) {
  if (f.samples_on_device == 0) return "-";
  return percent(static_cast<double>(f.samples_on_both) / static_cast<double>(f.samples_on_device));
}

std::string about(F const& f) { return f.estimated ? "~" : ""; }
std::string part(double set) { return set > 0 ? fmt::format("{:.2f}", set) : "-"; }

struct DomainColumn {
  Column column;
  bool always; // false: only with --wide
  std::string (*cell)(D const&, F const&);
};

DomainColumn const domain_columns[] = {
    {{"DOMAIN", Align::left}, true, [](D const& d, F const&) { return d.name(); }},
    {{.title = "CREDITS", .spared = 6},
     true,
     [](D const&, F const& f) { return fmt::format("{}", f.credits); }},
    {{"SLO"}, false, [](D const&, F const& f) { return part(f.slo); }},
    {{"MISSED"}, false, missed},
    {{"CAP"}, false, [](D const&, F const& f) { return part(f.cap); }},
    {{.title = "TARGET", .spared = 8}, true, [](D const&, F const& f) { return percent(f.target_share); }},
    {{.title = "RECEIVED", .spared = 10},
     true,
     [](D const&, F const& f) { return about(f) + percent(f.received_share); }},
    {{"DEVICE s"}, false, [](D const&, F const& f) { return about(f) + seconds(f.device_busy_ns); }},
    {{"DEBT s"}, false, [](D const&, F const& f) { return seconds(f.debt_ns); }},
    {{"WAITED s"}, false, [](D const&, F const& f) { return seconds(f.waited_ns); }},
    {{"ON CPU"}, false, on_cpu},
    {{.title = "CALLS", .spared = 3}, true, [](D const&, F const& f) { return fmt::format("{}", f.calls); }},
    {{"SYNC/s"}, false, [](D const&, F const& f) { return fmt::format("{:.0f}", f.sync_calls_per_s); }},
    {{"P50 us"}, false, [](D const&, F const& f) { return fmt::format("{:.1f}", f.latency_p50_us); }},
    {{.title = "P99 us", .spared = 5},
     true,
     [](D const&, F const& f) { return fmt::format("{:.1f}", f.latency_p99_us); }},
    {{.title = "MEMORY", .spared = 7}, true, memory},
    {{.title = "TASKS", .spared = 2},
     true,
     [](D const& d, F const&) { return fmt::format("{}", d.task_size()); }},
    {{.title = "ON", .spared = 1},
     true,
     [](D const& d, F const&) { return fmt::format("{}", d.accelerator()); }},
    {{.title = "STATE", .align = Align::left, .spared = 9}, true, state},
};

Json task_json(control::Task const& task) {
  Json document{{"id", task.id()}, {"pid", task.pid()}, {"program", task.program()}};
  add_figures(document, control::figures_of(task));
  document["worker_pid"] = task.worker_pid();
  return document;
}

// By the table, with what is not a figure among them.
Json domain_json(D const& domain) {
  Json document{{"name", domain.name()}, {"id", domain.id()}};
  F const figures = control::figures_of(domain);
  for (auto const& figure : control::all_figures<F>()) {
    if (figure.name == "host_memory_bytes") document["placement"] = domain.placement();
    if (figure.name == "kept") document["accelerator"] = domain.accelerator();
    add_figure(document, figure, figures);
  }
  Json& tasks = document["tasks"] = Json::array();
  for (control::Task const& task : domain.task())
    tasks.push_back(task_json(task));
  return document;
}

Result<void> show_domains(CommandContext const& context, bool wide) {
  control::Request request;
  request.mutable_domains();
  auto const reply = context.ask(request, control::Reply::kDomains);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json(domains_json(reply->domains()))
                      : print(domains_table(reply->domains(), shown_here(wide)));
}

} // namespace

std::string state(D const& domain, F const& f) {
  if (f.frozen) return "frozen";
  if (f.barred_ns > 0) return fmt::format("barred for {} s", seconds(f.barred_ns));
  if (f.capped) return "has had its cap";
  if (domain.task_size() == 0) return "no task";
  return f.running ? "running" : "waiting";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// Whoever once ran a program has a domain. Without anything to tell of it, it has no row.
static bool has_row(D const& domain, F const& f) {
  return f.kept || f.frozen || domain.task_size() > 0 || domain.waiting() || f.debt_ns > 0 ||
         f.barred_ns > 0 || f.memory_used_bytes > 0 || percent(f.received_share) != percent(0);
}

std::string domains_table(control::Domains const& domains, Shown const& shown) {
  std::vector<DomainColumn> usual;
  std::ranges::copy_if(domain_columns, std::back_inserter(usual),
                       [&shown](DomainColumn const& entry) { return entry.always || shown.wide; });
  std::vector<Column> columns;
  for (DomainColumn const& entry : usual)
    columns.push_back(entry.column);
  Table table(std::move(columns));
  std::uint64_t without = 0;
  for (D const& domain : domains.domain()) {
    F const figures = control::figures_of(domain);
    if (!has_row(domain, figures)) {
      ++without;
      continue;
    }
    std::vector<std::string> cells;
    for (DomainColumn const& entry : usual)
      cells.push_back(entry.cell(domain, figures));
    table.add_row(std::move(cells));
  }
  std::string const others = fmt::format("and {} without tasks, settings and share (--json has all)\n",
                                         control::counted(without, "domain"));
  std::string const totals =
      fmt::format("policy {}, min-max ratio {:.3f}, utilization {}, measured for {:.1f} s, since {}\n",
                  domains.policy(), domains.mmr(), percent(domains.utilization()),
                  static_cast<double>(domains.elapsed_ns()) * 1e-9, domains.since());
  return table.text(shown) + (without > 0 ? line_beside(others, shown) : "") + line_beside(totals, shown) +
         table.left_out(shown);
}

Json domains_json(control::Domains const& domains) {
  Json list = Json::array();
  for (control::Domain const& domain : domains.domain())
    list.push_back(domain_json(domain));
  return {{"policy", domains.policy()},
          {"mmr", json_number(domains.mmr())},
          {"utilization", json_number(domains.utilization())},
          {"elapsed_ns", domains.elapsed_ns()},
          {"since", domains.since()},
          {"domains", std::move(list)}};
}

void add_domains_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("domains", "list the domains: credits, shares, calls, latency, memory");
  auto const wide = std::make_shared<bool>(false);
  command->add_flag(
      "--wide", *wide,
      "also SLOs and misses, device time, debt, waiting time, time on CPU, synchronous calls, median");
  command->callback([&context, wide] { context.result = show_domains(context, *wide); });
}

} // namespace pegasus::ctl
