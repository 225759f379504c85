// SPDX-License-Identifier: Apache-2.0
// The figures of top: the time between two looks, from the daemon's totals.
#include "control/quantity.h"
#include "ctl/client/totals.h"
#include "ctl/commands/views.h"
#include "ctl/text/size.h"
#include "ctl/text/table.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <vector>

namespace pegasus::ctl {
namespace {

struct Activity {
  double seconds = 0;
  double busy = 0; // of all domains
};

struct DomainActivity {
  double busy_share = 0; // of the device time of all domains
  double calls_per_s = 0;
  double sync_calls_per_s = 0;
};

control::Domain const* find(control::Domains const& domains, std::string const& name) {
  for (control::Domain const& domain : domains.domain())
    if (domain.name() == name) return &domain;
  return nullptr;
}

double grown(std::uint64_t before, std::uint64_t now) { return static_cast<double>(growth(before, now)); }

double busy_of(control::Domains const& before, control::Domain const& now) {
  control::Domain const* const old = find(before, now.name());
  return grown(old == nullptr ? 0 : old->device_busy_ns(), now.device_busy_ns());
}

Activity activity_of(control::Domains const& before, control::Domains const& now) {
  Activity activity{grown(before.elapsed_ns(), now.elapsed_ns()) * 1e-9, 0};
  for (control::Domain const& domain : now.domain())
    activity.busy += busy_of(before, domain);
  return activity;
}

DomainActivity activity_of(control::Domains const& before, control::Domain const& now, Activity const& all) {
  control::Domain const* const old = find(before, now.name());
  auto const per_second = [&](double count) { return all.seconds > 0 ? count / all.seconds : 0; };
  return {all.busy > 0 ? busy_of(before, now) / all.busy : 0,
          per_second(grown(old == nullptr ? 0 : old->calls(), now.calls())),
          per_second(grown(old == nullptr ? 0 : old->sync_calls(), now.sync_calls()))};
}

struct Row {
  control::Domain const* domain;
  DomainActivity activity;
};

double figure(Row const& row, TopBy by) {
  switch (by) {
  case TopBy::now:
    return row.activity.busy_share;
  case TopBy::calls:
    return row.activity.calls_per_s;
  case TopBy::latency:
    return row.domain->latency_p99_us();
  case TopBy::memory:
    return static_cast<double>(row.domain->memory_used_bytes());
  default:
    return 0;
  }
}

// pegasusd tells the domains by name.
std::vector<Row> rows_of(control::Domains const& before, control::Domains const& now, Activity const& all,
                         TopBy by) {
  std::vector<Row> rows;
  for (control::Domain const& domain : now.domain())
    rows.push_back({&domain, activity_of(before, domain, all)});
  std::ranges::stable_sort(rows, std::greater(), [by](Row const& row) { return figure(row, by); });
  return rows;
}

} // namespace

std::string top_table(control::Domains const& before, control::Domains const& now, Shown const& shown,
                      TopBy by) {
  Activity const all = activity_of(before, now);
  Table table({{"DOMAIN", Align::left},
               {.title = "CREDITS", .spared = 4},
               {.title = "TARGET", .spared = 7},
               {.title = "NOW", .spared = 11},
               {.title = "OVERALL", .spared = 8},
               {.title = "CALLS/s", .spared = 5},
               {.title = "SYNC/s", .spared = 1},
               {.title = "P50 us", .spared = 2},
               {.title = "P99 us", .spared = 6},
               {.title = "MEMORY", .spared = 9},
               {.title = "TASKS", .spared = 3},
               {.title = "STATE", .align = Align::left, .spared = 10}});
  for (Row const& row : rows_of(before, now, all, by)) {
    control::Domain const& domain = *row.domain;
    DomainActivity const& one = row.activity;
    table.add_row({domain.name(), fmt::format("{}", domain.credits()), percent(domain.target_share()),
                   percent(one.busy_share), percent(domain.received_share()),
                   fmt::format("{:.0f}", one.calls_per_s), fmt::format("{:.0f}", one.sync_calls_per_s),
                   fmt::format("{:.1f}", domain.latency_p50_us()),
                   fmt::format("{:.1f}", domain.latency_p99_us()), format_size(domain.memory_used_bytes()),
                   fmt::format("{}", domain.task_size()), state(domain)});
  }
  std::string const totals =
      fmt::format("policy {}   utilization {}   min-max ratio {:.3f}   {}\n", now.policy(),
                  percent(all.seconds > 0 ? all.busy * 1e-9 / all.seconds : 0), now.mmr(),
                  control::counted(static_cast<std::uint64_t>(now.domain_size()), "domain"));
  return line_beside(totals, shown) + table.text(shown) + table.left_out(shown);
}

Json top_json(control::Domains const& before, control::Domains const& now) {
  Activity const all = activity_of(before, now);
  Json document = domains_json(now);
  document["interval_s"] = json_number(all.seconds);
  for (int i = 0; i < now.domain_size(); ++i) {
    DomainActivity const one = activity_of(before, now.domain(i), all);
    document["domains"][static_cast<std::size_t>(i)]["now"] = {
        {"share", json_number(one.busy_share)},
        {"calls_per_s", json_number(one.calls_per_s, 1)},
        {"sync_calls_per_s", json_number(one.sync_calls_per_s, 1)}};
  }
  return document;
}

} // namespace pegasus::ctl
