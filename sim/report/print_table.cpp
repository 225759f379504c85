// SPDX-License-Identifier: Apache-2.0
#include "sim/report/print.h"

#include "sim/report/deviation.h"
#include "sim/report/summary.h"
#include "sim/report/text_table.h"
#include "sim/report/units.h"

#include <fmt/format.h>

namespace pegasus::sim {
namespace {

std::string percent(Nanos of, Nanos whole) {
  return fmt::format("{:.1f}%", whole > Nanos{0} ? 100 * seconds(of) / seconds(whole) : 0);
}

std::string wait_text(double us) { return us > 0 ? time_text(us) : "-"; }

std::string heading_of(Scenario const& scenario) {
  std::string text = title_of(scenario);
  for (std::string const& setting : scenario.settings)
    text += (text.empty() ? "" : ", ") + setting;
  return text.empty() ? text : text + "\n\n";
}

std::string table_of(std::vector<SummaryRow> const& summary) {
  TextTable table;
  std::vector<std::string> head{"policy"};
  for (Metric const& metric : metrics())
    head.push_back(std::string(metric.name) + " ");
  table.add(std::move(head));
  for (SummaryRow const& row : summary) {
    std::vector<std::string> cells{row.policy};
    for (SummaryCell const& cell : row.cells)
      cells.push_back(cell.text + (cell.best ? "*" : " "));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string domains_of(ScenarioRuns const& of, std::size_t policy) {
  TextTable table;
  table.add({"domain", "credits", "share", "progress", "kernels/s", "CPU", "wait p50", "wait p99"});
  Outcome const& outcome = of.runs[policy].outcome;
  for (std::size_t i = 0; i < of.runs[policy].progress.size(); ++i) {
    DomainOutcome const& domain = outcome.domains[i];
    bool const idle = kernels(domain) == 0;
    auto const progress = estimate_of(of, policy, [i](Run const& run) { return run.progress[i]; });
    table.add(
        {domain.name, fmt::format("{}", domain.credits), idle ? "-" : ratio_text(share(outcome, domain)),
         progress->mean > 0 || !idle ? text_of(*progress, ratio_text) : "-",
         idle ? "-" : fmt::format("{:.0f}", static_cast<double>(kernels(domain)) / seconds(outcome.duration)),
         percent(domain.cpu, outcome.duration), wait_text(domain.wait_p50_us),
         wait_text(domain.wait_p99_us)});
  }
  return table.text("  ");
}

std::string accelerators_of(Outcome const& outcome) {
  std::string text;
  for (std::size_t a = 0; a < outcome.accelerators.size(); ++a) {
    AcceleratorOutcome const& each = outcome.accelerators[a];
    text += fmt::format("  accelerator {}: {} busy, {} changing contexts ({} times)\n", a,
                        percent(each.busy, outcome.duration), percent(each.switching, outcome.duration),
                        each.switches);
    if (each.copy_engines > 0)
      text += fmt::format("  copy engines of accelerator {}: {} busy\n", a,
                          percent(each.copying, outcome.duration * each.copy_engines));
    if (each.memory.granule > 0)
      text += fmt::format("  memory of accelerator {}: {:.0f} MiB copied in and {:.0f} MiB out in {} turns\n",
                          a, each.memory.bytes_in() / (1 << 20), each.memory.bytes_out() / (1 << 20),
                          each.memory.turns);
  }
  if (outcome.dom0_cpu)
    text += fmt::format("  Dom0: {} of a pCPU\n", percent(*outcome.dom0_cpu, outcome.duration));
  return text;
}

std::string table_of(std::vector<Deviation> const& deviations) {
  if (deviations.empty()) return "";
  auto const off = [](std::optional<double> value) { return value ? fmt::format("{:+.1f}%", *value) : "-"; };
  TextTable table;
  table.add({"domain", "share", "device time", "calls"});
  for (Deviation const& each : deviations)
    table.add(
        {each.domain, fmt::format("{:+.1f} points", each.share), off(each.device_time), off(each.calls)});
  return "  the replay's deviation from what was recorded:\n" + table.text("  ");
}

std::string table_of(ScenarioRuns const& of) {
  std::vector<SummaryRow> const summary = summary_of(of);
  std::string text = heading_of(of.scenario) + table_of(summary);
  for (std::string const& line : legend_of(of, summary))
    text += line + "\n";
  for (std::size_t policy = 0; policy < of.runs.size(); ++policy) {
    auto const& cells = summary[policy].cells;
    text += fmt::format("\n{}: min-max ratio {}, overhead {}\n", of.runs[policy].policy, cells[0].text,
                        cells[1].text);
    text += domains_of(of, policy) + accelerators_of(of.runs[policy].outcome) +
            table_of(deviations(of.scenario, of.runs[policy]));
  }
  return text;
}

} // namespace

std::string as_table(std::span<ScenarioRuns const> all) {
  std::string text;
  for (ScenarioRuns const& each : all)
    text += (text.empty() ? "" : "\n") + table_of(each);
  return text;
}

} // namespace pegasus::sim
