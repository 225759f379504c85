// SPDX-License-Identifier: Apache-2.0
// pegasusctl domains: each domain with its entitlement, what it received, and its tasks.
#include "control/quantity.h"
#include "ctl/commands/command.h"
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

std::string memory(control::Domain const& domain) {
  std::string const used = format_size(domain.memory_used_bytes());
  return domain.memory_limited() ? used + "/" + format_size(domain.memory_limit_bytes()) : used;
}

std::string seconds(std::uint64_t nanoseconds) {
  return fmt::format("{:.3f}", static_cast<double>(nanoseconds) * 1e-9);
}

// Seconds in which the SLO was missed, of the seconds that count.
std::string missed(control::Domain const& domain) {
  if (domain.slo() <= 0) return "-";
  return fmt::format("{}/{}", domain.slo_violations(), domain.slo_periods());
}

// Fraction of its device time in which it was also on a CPU.
std::string on_cpu(control::Domain const& domain) {
  if (domain.overlap_samples() == 0) return "-";
  return percent(static_cast<double>(domain.overlap_samples_on_cpu()) /
                 static_cast<double>(domain.overlap_samples()));
}

std::string about(control::Domain const& domain) { return domain.estimated() ? "~" : ""; }

struct DomainColumn {
  Column column;
  bool always; // false: only with --wide
  std::string (*cell)(control::Domain const&);
};

using D = control::Domain;
DomainColumn const domain_columns[] = {
    {{"DOMAIN", Align::left}, true, [](D const& d) { return d.name(); }},
    {{.title = "CREDITS", .spared = 6}, true, [](D const& d) { return fmt::format("{}", d.credits()); }},
    {{"SLO"}, false, [](D const& d) { return d.slo() > 0 ? fmt::format("{:.2f}", d.slo()) : "-"; }},
    {{"MISSED"}, false, missed},
    {{"CAP"}, false, [](D const& d) { return d.cap() > 0 ? fmt::format("{:.2f}", d.cap()) : "-"; }},
    {{.title = "TARGET", .spared = 8}, true, [](D const& d) { return percent(d.target_share()); }},
    {{.title = "RECEIVED", .spared = 10},
     true,
     [](D const& d) { return about(d) + percent(d.received_share()); }},
    {{"DEVICE s"}, false, [](D const& d) { return about(d) + seconds(d.device_busy_ns()); }},
    {{"DEBT s"}, false, [](D const& d) { return seconds(d.debt_ns()); }},
    {{"WAITED s"}, false, [](D const& d) { return seconds(d.waited_ns()); }},
    {{"ON CPU"}, false, on_cpu},
    {{.title = "CALLS", .spared = 3}, true, [](D const& d) { return fmt::format("{}", d.calls()); }},
    {{"SYNC/s"}, false, [](D const& d) { return fmt::format("{:.0f}", d.sync_calls_per_s()); }},
    {{"P50 us"}, false, [](D const& d) { return fmt::format("{:.1f}", d.latency_p50_us()); }},
    {{.title = "P99 us", .spared = 5},
     true,
     [](D const& d) { return fmt::format("{:.1f}", d.latency_p99_us()); }},
    {{.title = "MEMORY", .spared = 7}, true, memory},
    {{.title = "TASKS", .spared = 2}, true, [](D const& d) { return fmt::format("{}", d.task_size()); }},
    {{.title = "ON", .spared = 1}, true, [](D const& d) { return fmt::format("{}", d.accelerator()); }},
    {{.title = "STATE", .align = Align::left, .spared = 9}, true, state},
};

Json task_json(control::Task const& task) {
  return {{"id", task.id()},
          {"pid", task.pid()},
          {"program", task.program()},
          {"device_busy_ns", task.device_busy_ns()},
          {"calls", task.calls()},
          {"memory_bytes", task.memory_bytes()},
          {"gate_open", task.gate_open()},
          {"worker_pid", task.worker_pid()}};
}

Json service_json(control::Domain const& domain) {
  return {{"wanted_ns", domain.wanted_ns()},
          {"waited_ns", domain.waited_ns()},
          {"average_wait_ns", domain.average_wait_ns()},
          {"requests_waiting", domain.requests_waiting()},
          {"utilization", json_number(domain.utilization())},
          {"slo_periods", domain.slo_periods()},
          {"slo_violations", domain.slo_violations()}};
}

Json conduct_json(control::Domain const& domain) {
  return {{"debt_ns", domain.debt_ns()},
          {"killed_tasks", domain.killed_tasks()},
          {"barred_ns", domain.barred_ns()},
          {"capped", domain.capped()}};
}

Json cpu_json(control::Domain const& domain) {
  control::WakeUps const& wake_ups = domain.wake_ups();
  control::CpuSchedule const& now = domain.cpu_schedule();
  return {{"vcpu", now.vcpu()},
          {"running", now.running()},
          {"credit_left_ns", now.credit_left_ns()},
          {"weight", now.weight()},
          {"samples_on_device", domain.overlap_samples()},
          {"samples_on_both", domain.overlap_samples_on_cpu()},
          {"wake_ups",
           {{"ran_already", wake_ups.ran_already()},
            {"waited", wake_ups.waited()},
            {"woken", wake_ups.woken()},
            {"p50_us", json_number(wake_ups.latency_p50_us(), 2)},
            {"p99_us", json_number(wake_ups.latency_p99_us(), 2)}}}};
}

Json domain_json(control::Domain const& domain) {
  Json tasks = Json::array();
  for (control::Task const& task : domain.task())
    tasks.push_back(task_json(task));
  return {
      {"name", domain.name()},
      {"id", domain.id()},
      {"credits", domain.credits()},
      {"slo", json_number(domain.slo())},
      {"cap", json_number(domain.cap())},
      {"latency_slice_ns", domain.latency_slice_ns()},
      {"memory_limit_bytes", domain.memory_limit_bytes()},
      {"memory_limited", domain.memory_limited()},
      {"memory_used_bytes", domain.memory_used_bytes()},
      {"placement", domain.placement()},
      {"host_memory_bytes", domain.host_memory_bytes()},
      {"host_memory_limit_bytes", domain.host_memory_limit_bytes()},
      {"device_busy_ns", domain.device_busy_ns()},
      {"host_busy_ns", domain.host_busy_ns()},
      {"estimated", domain.estimated()},
      {"target_share", json_number(domain.target_share())},
      {"received_share", json_number(domain.received_share())},
      {"calls", domain.calls()},
      {"sync_calls", domain.sync_calls()},
      {"sync_calls_ns", domain.sync_calls_ns()},
      {"sync_calls_per_s", json_number(domain.sync_calls_per_s(), 1)},
      {"latency_us",
       {{"p50", json_number(domain.latency_p50_us(), 2)}, {"p99", json_number(domain.latency_p99_us(), 2)}}},
      {"accelerator", domain.accelerator()},
      {"kept", domain.kept()},
      {"running", domain.running()},
      {"service", service_json(domain)},
      {"conduct", conduct_json(domain)},
      {"cpu", cpu_json(domain)},
      {"tasks", std::move(tasks)}};
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

std::string state(control::Domain const& domain) {
  if (domain.barred_ns() > 0) return fmt::format("barred for {} s", seconds(domain.barred_ns()));
  if (domain.capped()) return "has had its cap";
  if (domain.task_size() == 0) return "no task";
  return domain.running() ? "running" : "waiting";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// Whoever once ran a program has a domain. Without anything to tell of it, it has no row.
static bool has_row(control::Domain const& domain) {
  return domain.kept() || domain.task_size() > 0 || domain.waiting() || domain.debt_ns() > 0 ||
         domain.barred_ns() > 0 || domain.memory_used_bytes() > 0 ||
         percent(domain.received_share()) != percent(0);
}

std::string domains_table(control::Domains const& domains, Shown const& shown) {
  std::vector<DomainColumn> usual;
  std::ranges::copy_if(domain_columns, std::back_inserter(usual),
                       [&shown](DomainColumn const& one) { return one.always || shown.wide; });
  std::vector<Column> columns;
  for (DomainColumn const& one : usual)
    columns.push_back(one.column);
  Table table(std::move(columns));
  std::uint64_t without = 0;
  for (control::Domain const& domain : domains.domain()) {
    if (!has_row(domain)) {
      ++without;
      continue;
    }
    std::vector<std::string> cells;
    for (DomainColumn const& one : usual)
      cells.push_back(one.cell(domain));
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
