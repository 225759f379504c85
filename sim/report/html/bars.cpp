// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figures.h"

#include "sim/report/csv.h"
#include "sim/report/html/figure.h"
#include "sim/report/html/row_plot.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

constexpr double bar_height = 11;

struct BarPart {
  double value;
  std::string css_class;
  std::string tooltip;
};
struct Bar {
  std::vector<BarPart> parts; // one after the other; none: its run executed nothing
  std::string text;           // at its right
};

std::string bar_plot(Shown const& shown, std::string const& title, std::string const& unit, double mark,
                     std::vector<Bar> const& bars) {
  if (shown.empty()) return empty_plot();
  std::vector<RowGroup> groups;
  double greatest = mark;
  for (std::size_t r = 0; r < bars.size(); ++r) {
    groups.push_back({.name = shown.policy(r), .rows = {""}});
    double sum = 0;
    for (BarPart const& part : bars[r].parts)
      sum += part.value;
    greatest = std::max(greatest, sum);
  }
  RowPlot plot(
      title, groups, [greatest](double begin, double end) { return Axis::linear(greatest, begin, end); },
      unit, 150);
  for (std::size_t r = 0; r < bars.size(); ++r) {
    double const y = plot.middle(r, 0);
    double sum = 0;
    for (BarPart const& part : bars[r].parts) {
      double const from = plot.axis().place(sum);
      sum += part.value;
      plot.svg().rect(from, y - bar_height / 2, plot.axis().place(sum) - from, bar_height, part.css_class,
                      shown.policy(r) + ": " + part.tooltip);
    }
    if (bars[r].parts.empty())
      plot.svg().text(plot.axis().begin() + 4, y + 4, Anchor::start, no_kernels, "small");
    plot.svg().text(plot.axis().end() + 8, y + 4, Anchor::start, bars[r].text);
  }
  plot.mark(mark);
  return plot.svg().done();
}

} // namespace

std::string work_figure(Shown const& shown) {
  std::vector<Bar> bars;
  Csv data({"policy", "work_done", "overhead"});
  for (Run const& run : shown.scenario.runs) {
    double const work = 1 / run.overhead;
    std::string const text = fmt::format("{:.3f} (overhead {:.3f})", work, run.overhead);
    bars.push_back(run.overhead > 0 ? Bar{.parts = {{work, "plain", text}}, .text = text} : Bar{});
    if (run.overhead > 0) data.add(run.policy).add(work).add(run.overhead).end_row();
  }
  return html_of(
      {.title = "Work done and overhead",
       .text = "The sum of all progress over the number of accelerators. Its reciprocal is the aggregated "
               "overhead "
               "(FairGV, 5.4.1). More than 1 is possible: one domain computes while another has the device.",
       .body = bar_plot(shown, "Work done under each policy", "work done (1: as one domain alone)", 1, bars),
       .data = data.text()});
}

std::string fairness_figure(Shown const& shown) {
  std::vector<Bar> bars;
  Csv data({"policy", "min_max_ratio"});
  for (Run const& run : shown.scenario.runs) {
    bool const empty = executed_nothing(run.outcome);
    std::string const text = fmt::format("{:.3f}", run.mmr);
    bars.push_back(empty ? Bar{} : Bar{.parts = {{run.mmr, "plain", text}}, .text = text});
    if (!empty) data.add(run.policy).add(run.mmr).end_row();
  }
  return html_of(
      {.title = "Min-max ratio",
       .text =
           "The least progress for its credits over the greatest (FairGV, 5.4.1). 1 is fair; 0: a domain got "
           "nothing.",
       .body = bar_plot(shown, "Min-max ratio under each policy", "min-max ratio (1: fair)", 1, bars),
       .data = data.text()});
}

std::string device_time_figure(Shown const& shown) {
  std::vector<Bar> bars;
  Csv data({"policy", "executes_kernels", "changes_contexts"});
  for (Run const& run : shown.scenario.runs) {
    double busy = 0;
    double switching = 0;
    for (AcceleratorOutcome const& each : run.outcome.accelerators) {
      busy += std::chrono::duration<double>(each.busy).count();
      switching += std::chrono::duration<double>(each.switching).count();
    }
    double const all = std::chrono::duration<double>(run.outcome.duration).count() *
                       static_cast<double>(run.outcome.accelerators.size());
    busy /= all;
    switching /= all;
    data.add(run.policy).add(busy).add(switching).end_row();
    if (executed_nothing(run.outcome))
      bars.emplace_back();
    else
      bars.push_back({.parts = {{busy, "plain", "executes kernels " + percent(busy)},
                                {switching, "switching", "changes contexts " + percent(switching)}},
                      .text = fmt::format("{}, {}", percent(busy), percent(switching))});
  }
  return html_of({.title = "Time of the accelerators",
                  .text = "All accelerators together; the rest is idle. At the right, both parts in numbers.",
                  .body = "<ul class=\"legend\">" + legend_entry("plain", "executes kernels") +
                          legend_entry("switching", "changes contexts") + "</ul>\n" +
                          bar_plot(shown, "What the accelerators' time was under each policy",
                                   "part of the time", 1, bars),
                  .data = data.text()});
}

} // namespace pegasus::sim::html
