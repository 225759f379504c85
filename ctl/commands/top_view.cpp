// SPDX-License-Identifier: Apache-2.0
// The figures of top: the time between two looks, from the daemon's totals.
#include "control/client/totals.h"
#include "control/figure_values.h"
#include "control/quantity.h"
#include "ctl/commands/views.h"
#include "ctl/text/size.h"
#include "ctl/text/table.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <vector>

namespace pegasus::ctl {
namespace {

using control::growth;

struct Activity {
  double seconds = 0;
  double busy = 0; // of all domains
};

struct DomainActivity {
  double busy_share = 0; // of the device time of all domains
  double calls_per_s = 0;
  double sync_calls_per_s = 0;
};

// Of a domain that is new, its totals were 0.
control::DomainFigures earlier_figures(control::Domains const& domains, std::string const& name) {
  for (control::Domain const& domain : domains.domain())
    if (domain.name() == name) return control::figures_of(domain);
  return {};
}

double grown(std::uint64_t before, std::uint64_t now) { return static_cast<double>(growth(before, now)); }

struct Row {
  explicit Row(control::Domain const& seen, control::Domains const& earlier)
      : domain(&seen), before(earlier_figures(earlier, seen.name())), now(control::figures_of(seen)) {}

  [[nodiscard]] double busy() const { return grown(before.device_busy_ns, now.device_busy_ns); }
  [[nodiscard]] DomainActivity activity(Activity const& all) const {
    auto const per_second = [&](double count) { return all.seconds > 0 ? count / all.seconds : 0; };
    return {all.busy > 0 ? busy() / all.busy : 0, per_second(grown(before.calls, now.calls)),
            per_second(grown(before.sync_calls, now.sync_calls))};
  }

  control::Domain const* domain;
  control::DomainFigures before, now;
};

// pegasusd tells the domains by name.
std::vector<Row> rows_of(control::Domains const& before, control::Domains const& now) {
  std::vector<Row> rows;
  for (control::Domain const& domain : now.domain())
    rows.emplace_back(domain, before);
  return rows;
}

Activity activity_of(control::Domains const& before, control::Domains const& now,
                     std::vector<Row> const& rows) {
  Activity activity{grown(before.elapsed_ns(), now.elapsed_ns()) * 1e-9, 0};
  for (Row const& row : rows)
    activity.busy += row.busy();
  return activity;
}

double figure(Row const& row, Activity const& all, TopBy by) {
  switch (by) {
  case TopBy::now:
    return row.activity(all).busy_share;
  case TopBy::calls:
    return row.activity(all).calls_per_s;
  case TopBy::latency:
    return row.now.latency_p99_us;
  case TopBy::memory:
    return static_cast<double>(row.now.memory_used_bytes);
  default:
    return 0;
  }
}

} // namespace

std::string top_table(control::Domains const& before, control::Domains const& now, Shown const& shown,
                      TopBy by) {
  std::vector<Row> rows = rows_of(before, now);
  Activity const all = activity_of(before, now, rows);
  std::ranges::stable_sort(rows, std::greater(), [&](Row const& row) { return figure(row, all, by); });
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
  for (Row const& row : rows) {
    DomainActivity const activity = row.activity(all);
    control::DomainFigures const& f = row.now;
    table.add_row({row.domain->name(), fmt::format("{}", f.credits), percent(f.target_share),
                   percent(activity.busy_share), percent(f.received_share),
                   fmt::format("{:.0f}", activity.calls_per_s),
                   fmt::format("{:.0f}", activity.sync_calls_per_s), fmt::format("{:.1f}", f.latency_p50_us),
                   fmt::format("{:.1f}", f.latency_p99_us), format_size(f.memory_used_bytes),
                   fmt::format("{}", row.domain->task_size()), state(*row.domain, f)});
  }
  std::string const totals =
      fmt::format("policy {}   utilization {}   min-max ratio {:.3f}   {}\n", now.policy(),
                  percent(all.seconds > 0 ? all.busy * 1e-9 / all.seconds : 0), now.mmr(),
                  control::counted(static_cast<std::uint64_t>(now.domain_size()), "domain"));
  return line_beside(totals, shown) + table.text(shown) + table.left_out(shown);
}

Json top_json(control::Domains const& before, control::Domains const& now) {
  std::vector<Row> const rows = rows_of(before, now);
  Activity const all = activity_of(before, now, rows);
  Json document = domains_json(now);
  document["interval_s"] = json_number(all.seconds);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    DomainActivity const activity = rows[i].activity(all);
    document["domains"][i]["now"] = {{"share", json_number(activity.busy_share)},
                                     {"calls_per_s", json_number(activity.calls_per_s, 1)},
                                     {"sync_calls_per_s", json_number(activity.sync_calls_per_s, 1)}};
  }
  return document;
}

} // namespace pegasus::ctl
