// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figures.h"

#include "sim/report/csv.h"
#include "sim/report/html/figure.h"
#include "sim/report/html/row_plot.h"
#include "sim/report/spread.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

// A domain's bar for one policy.
struct Box {
  Spread spread;
  double whole; // of the run
  double share; // what its credits entitle it to
  bool empty;   // it executed no kernel
};
using Boxes = std::vector<std::vector<Box>>; // of each run, of each domain

void draw_box(RowPlot& plot, double y, Box const& box, std::string const& css_class,
              std::string const& tooltip) {
  Axis const& axis = plot.axis();
  Svg& svg = plot.svg();
  auto const at = [&axis](double value) { return axis.place(value); };
  svg.begin_group(tooltip);
  svg.rect(axis.begin(), y - RowPlot::row_height / 2, axis.end() - axis.begin(), RowPlot::row_height,
           "hover");
  if (box.empty) {
    svg.text(axis.begin() + 4, y + 4, Anchor::start, no_kernels, "small");
    svg.end_group();
    return;
  }
  svg.line(at(box.spread.least), y, at(box.spread.greatest), y, "whisker");
  for (double const end : {box.spread.least, box.spread.greatest})
    svg.line(at(end), y - 3, at(end), y + 3, "whisker");
  double const from = at(box.spread.lower_quartile);
  // Whiskers do not show through.
  svg.rect(from, y - 5, std::max(at(box.spread.upper_quartile) - from, 1.0), 10, "ground");
  svg.rect(from, y - 5, std::max(at(box.spread.upper_quartile) - from, 1.0), 10, css_class + " box");
  svg.line(at(box.spread.median), y - 6, at(box.spread.median), y + 6, "median");
  svg.line(at(box.share), y - 8, at(box.share), y + 8, "entitled");
  svg.end_group();
}

Boxes boxes_of(Shown const& shown, bool per_share) {
  Boxes boxes;
  for (std::size_t r = 0; r < shown.records.size(); ++r) {
    Run const& run = shown.scenario.runs[r];
    boxes.emplace_back();
    for (std::size_t const i : shown.domains()) {
      double const share = shown.share_by_credits(r, i);
      double const divisor = per_share ? share : 1;
      std::vector<double> values = interval_progress(run, shown.records[r], i);
      for (double& value : values)
        value = divisor > 0 ? value / divisor : 0;
      boxes.back().push_back({.spread = spread_of(values),
                              .whole = divisor > 0 ? run.progress[i] / divisor : 0,
                              .share = divisor > 0 ? share / divisor : 0,
                              .empty = kernels(run.outcome.domains[i]) == 0});
    }
  }
  return boxes;
}

std::string box_plot(Shown const& shown, Boxes const& boxes, std::string const& title,
                     std::string const& unit) {
  if (shown.empty()) return empty_plot();
  std::vector<std::size_t> const domains = shown.domains();
  std::vector<RowGroup> groups;
  double greatest = 0;
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    groups.push_back({.name = shown.policy(r), .rows = {}});
    for (std::size_t const i : domains)
      groups.back().rows.push_back(shown.domain(i).name);
    for (Box const& box : boxes[r])
      greatest = std::max({greatest, box.spread.greatest, box.share});
  }
  RowPlot plot(
      title, groups, [greatest](double begin, double end) { return Axis::linear(greatest, begin, end); },
      unit);
  for (std::size_t r = 0; r < groups.size(); ++r)
    for (std::size_t d = 0; d < domains.size(); ++d) {
      Box const& box = boxes[r][d];
      draw_box(plot, plot.middle(r, d), box, shown.css_class(domains[d]),
               fmt::format(
                   "{}, {}: {:.3f} in the whole run, {:.3f} by credits. Intervals: median {:.3f}, quartiles "
                   "{:.3f} and {:.3f} (h-spread {:.3f}), {:.3f} to {:.3f}.",
                   groups[r].name, shown.domain(domains[d]).name, box.whole, box.share, box.spread.median,
                   box.spread.lower_quartile, box.spread.upper_quartile, box.spread.h_spread(),
                   box.spread.least, box.spread.greatest));
    }
  return plot.svg().done();
}

// `value` is the name of the column with the whole run's.
std::string data_of(Shown const& shown, Boxes const& boxes, std::string_view value) {
  Csv data({"policy", "domain", value, "by_credits", "least", "lower_quartile", "median", "upper_quartile",
            "greatest"});
  std::vector<std::size_t> const domains = shown.domains();
  for (std::size_t r = 0; r < boxes.size(); ++r)
    for (std::size_t d = 0; d < domains.size(); ++d) {
      auto const& [spread, whole, share, empty] = boxes[r][d];
      data.add(shown.policy(r)).add(shown.domain(domains[d]).name).add(whole).add(share);
      data.add(spread.least).add(spread.lower_quartile).add(spread.median).add(spread.upper_quartile);
      data.add(spread.greatest).end_row();
    }
  return data.text();
}

} // namespace

std::vector<double> interval_progress(Run const& run, RunRecord const& record, std::size_t domain) {
  Nanos all{0};
  for (Nanos const each : record.device[domain])
    all += each;
  std::vector<double> progress;
  for (std::size_t i = 0; i < recorded_intervals; ++i) {
    Nanos const length =
        interval_begin(run.outcome.duration, i + 1) - interval_begin(run.outcome.duration, i);
    double const mean = static_cast<double>(all.count()) * static_cast<double>(length.count()) /
                        static_cast<double>(run.outcome.duration.count());
    progress.push_back(
        mean > 0 ? run.progress[domain] * static_cast<double>(record.device[domain][i].count()) / mean : 0);
  }
  return progress;
}

std::string throughput_figures(Shown const& shown) {
  double const interval_ms =
      std::chrono::duration<double, std::milli>(shown.scenario.scenario.duration).count() /
      static_cast<double>(recorded_intervals);
  std::string const reading = fmt::format(
      "Over {} intervals of {:.6g} ms: box from lower to upper quartile (h-spread) with median, whiskers "
      "from least to greatest.",
      recorded_intervals, interval_ms);
  Boxes const progress = boxes_of(shown, false);
  Boxes const for_share = boxes_of(shown, true);
  return html_of({.title = "Throughput of each domain",
                  .text = "Progress: kernels in a unit of time over those that the domain finishes alone. " +
                          reading + " The dashed mark is its share by credits.",
                  .body = box_plot(shown, progress, "Progress of each domain under each policy",
                                   "progress (1: as alone)"),
                  .data = data_of(shown, progress, "progress")}) +
         html_of(
             {.title = "Throughput against the share by credits",
              .text =
                  "Progress over the part of the accelerator that credits entitle the domain to: 1 is its "
                  "share, more is what others left or lost. " +
                  reading,
              .body = box_plot(shown, for_share,
                               "Progress over share by credits of each domain under each policy",
                               "progress / share by credits"),
              .data = data_of(shown, for_share, "progress_over_share")});
}

} // namespace pegasus::sim::html
