// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/report.h"

#include "control/figure_values.h"
#include "ctl/commands/views.h"
#include "ctl/text/table.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace pegasus::ctl {
namespace {

// 1.23M, 45.6k: a run of some seconds supports three figures.
std::string rate(double per_second) {
  if (!std::isfinite(per_second)) return "-";
  if (per_second >= 1e6) return fmt::format("{:.2f}M", per_second * 1e-6);
  return per_second >= 1e4 ? fmt::format("{:.1f}k", per_second * 1e-3) : fmt::format("{:.1f}", per_second);
}

Json domain_json(DomainReport const& domain) {
  return {{"domain", domain.domain},
          {"credits", domain.credits},
          {"target_share", json_number(domain.target_share)},
          {"received_share", json_number(domain.received_share)},
          {"work_per_s", json_number(domain.outcome.work_per_s, 1)},
          {"unit", domain.outcome.unit},
          {"latency_us",
           {{"p50", json_number(domain.latency_p50_us, 2)}, {"p99", json_number(domain.latency_p99_us, 2)}}},
          {"verified", domain.outcome.verified}};
}

} // namespace

bool RunReport::verified() const {
  return !domains.empty() && std::all_of(domains.begin(), domains.end(),
                                         [](DomainReport const& domain) { return domain.outcome.verified; });
}

RunReport make_report(std::string policy, std::vector<DemoDomain> const& domains,
                      control::Domains const& measured, std::vector<Outcome> const& outcomes) {
  RunReport run{std::move(policy), measured.mmr(), measured.utilization(), {}};
  for (std::size_t i = 0; i < domains.size(); ++i) {
    DomainReport report{
        domains[i].name, domains[i].credits, 0, 0, 0, 0, i < outcomes.size() ? outcomes[i] : Outcome{}};
    for (control::Domain const& domain : measured.domain())
      if (domain.name() == report.domain) {
        control::DomainFigures const figures = control::figures_of(domain);
        report.target_share = figures.target_share;
        report.received_share = figures.received_share;
        report.latency_p50_us = figures.latency_p50_us;
        report.latency_p99_us = figures.latency_p99_us;
      }
    run.domains.push_back(std::move(report));
  }
  return run;
}

std::string report_text(RunReport const& run) {
  std::string const unit = run.domains.empty() || run.domains.front().outcome.unit.empty()
                               ? std::string("work")
                               : run.domains.front().outcome.unit;
  Table table({{"DOMAIN", Align::left},
               {"CREDITS"},
               {"TARGET"},
               {"RECEIVED"},
               {unit + "/s"},
               {"CALL p50 us"},
               {"p99 us"},
               {"VERIFIED", Align::left}});
  for (DomainReport const& domain : run.domains)
    table.add_row({domain.domain, fmt::format("{}", domain.credits), percent(domain.target_share),
                   percent(domain.received_share), rate(domain.outcome.work_per_s),
                   fmt::format("{:.1f}", domain.latency_p50_us), fmt::format("{:.1f}", domain.latency_p99_us),
                   domain.outcome.verified ? "yes" : "NO"});
  return fmt::format("policy {}: min-max ratio {:.3f} (1: each domain got its share exactly), device "
                     "utilization {}\n",
                     run.policy, run.mmr, percent(run.utilization)) +
         table.text();
}

Json report_json(std::vector<RunReport> const& runs) {
  Json list = Json::array();
  for (RunReport const& run : runs) {
    Json domains = Json::array();
    for (DomainReport const& domain : run.domains)
      domains.push_back(domain_json(domain));
    list.push_back({{"policy", run.policy},
                    {"mmr", json_number(run.mmr)},
                    {"utilization", json_number(run.utilization)},
                    {"domains", std::move(domains)}});
  }
  return {{"runs", std::move(list)}};
}

} // namespace pegasus::ctl
