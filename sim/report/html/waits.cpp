// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figures.h"

#include "sim/report/csv.h"
#include "sim/report/html/figure.h"
#include "sim/report/html/row_plot.h"
#include "sim/report/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

void draw_wait(RowPlot& plot, double y, DomainOutcome const& domain, std::string const& css_class,
               std::string const& tooltip) {
  Axis const& axis = plot.axis();
  Svg& svg = plot.svg();
  svg.begin_group(tooltip);
  svg.rect(axis.begin(), y - RowPlot::row_height / 2, axis.end() - axis.begin(), RowPlot::row_height,
           "hover");
  if (domain.wait_p99_us > 0) {
    double const median = axis.place(domain.wait_p50_us);
    double const most = axis.place(domain.wait_p99_us);
    svg.line(median, y, most, y, "whisker");
    svg.line(most, y - 5, most, y + 5, "percentile");
    svg.circle(median, y, 4.5, css_class + " box");
  } else {
    svg.text(axis.begin() + 4, y + 4, Anchor::start, "no waits", "small");
  }
  svg.end_group();
}

} // namespace

std::string waits_figure(Shown const& shown) {
  std::vector<std::size_t> const domains = shown.domains();
  std::vector<RowGroup> groups;
  double least = 0;
  double greatest = 0;
  for (Run const& run : shown.scenario.runs) {
    groups.push_back({.name = run.policy, .rows = {}});
    for (std::size_t const i : domains) {
      DomainOutcome const& domain = run.outcome.domains[i];
      groups.back().rows.push_back(domain.name);
      if (domain.wait_p50_us > 0)
        least = least > 0 ? std::min(least, domain.wait_p50_us) : domain.wait_p50_us;
      greatest = std::max(greatest, domain.wait_p99_us);
    }
  }
  RowPlot plot(
      "Median and 99th percentile of each domain's waits under each policy", groups,
      [=](double begin, double end) { return Axis::logarithmic(least, greatest, begin, end); },
      "wait (logarithmic)");
  Csv data({"policy", "domain", "wait_p50_us", "wait_p99_us"});
  for (std::size_t r = 0; r < groups.size(); ++r)
    for (std::size_t d = 0; d < domains.size(); ++d) {
      DomainOutcome const& domain = shown.scenario.runs[r].outcome.domains[domains[d]];
      draw_wait(plot, plot.middle(r, d), domain, shown.css_class(domains[d]),
                fmt::format("{}, {}: half of its waits are shorter than {}, 99 of 100 than {}",
                            groups[r].name, domain.name, time_text(domain.wait_p50_us),
                            time_text(domain.wait_p99_us)));
      data.add(groups[r].name).add(domain.name).add(domain.wait_p50_us).add(domain.wait_p99_us).end_row();
    }
  return html_of({.title = "Latency of each domain",
                  .text = "How long its calls with a wait, and its synchronizations, take as the program "
                          "sees it: the dot is "
                          "the median, the line ends at the 99th percentile. From the beginning of the run, "
                          "warm-up included.",
                  .body = shown.empty() ? empty_plot() : plot.svg().done(),
                  .data = data.text()});
}

} // namespace pegasus::sim::html
