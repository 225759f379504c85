// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/bars.h"

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
  std::vector<BarPart> parts; // one after the other
  std::string text;           // at its right
};

std::string bar_plot(Shown const& shown, std::string const& title, std::string const& unit, double one,
                     std::vector<Bar> const& bars) {
  std::vector<RowGroup> groups;
  double greatest = one;
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
    plot.svg().text(plot.axis().end() + 8, y + 4, Anchor::start, bars[r].text);
  }
  plot.mark(one);
  return plot.svg().done();
}

} // namespace

std::string work_figure(Shown const& shown) {
  std::vector<Bar> bars;
  for (Run const& run : shown.scenario.runs) {
    double const work = run.overhead > 0 ? 1 / run.overhead : 0;
    std::string const text =
        run.overhead > 0 ? fmt::format("{:.3f} (overhead {:.3f})", work, run.overhead) : "no kernels";
    bars.push_back({.parts = {{work, "plain", text}}, .text = text});
  }
  return figure(
      "Work done and overhead",
      "The sum of all progress over the number of accelerators. Its reciprocal is the aggregated overhead "
      "(FairGV, 5.4.1). More than 1 is possible: one domain computes while another has the device.",
      bar_plot(shown, "Work done under each policy", "work done (1: as one domain alone)", 1, bars));
}

std::string fairness_figure(Shown const& shown) {
  std::vector<Bar> bars;
  for (Run const& run : shown.scenario.runs) {
    std::string const text = fmt::format("{:.3f}", run.mmr);
    bars.push_back({.parts = {{run.mmr, "plain", text}}, .text = text});
  }
  return figure(
      "Min-max ratio",
      "The least progress for its credits over the greatest (FairGV, 5.4.1). 1 is fair; 0: a domain got "
      "nothing.",
      bar_plot(shown, "Min-max ratio under each policy", "min-max ratio (1: fair)", 1, bars));
}

std::string device_time_figure(Shown const& shown) {
  std::vector<Bar> bars;
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
    bars.push_back({.parts = {{busy, "plain", "executes kernels " + percent(busy)},
                              {switching, "switching", "changes contexts " + percent(switching)}},
                    .text = fmt::format("{}, {}", percent(busy), percent(switching))});
  }
  return figure(
      "Time of the accelerators",
      "All accelerators together; the rest is idle. At the right, both parts in numbers.",
      "<ul class=\"legend\">" + legend_entry("plain", "executes kernels") +
          legend_entry("switching", "changes contexts") + "</ul>\n" +
          bar_plot(shown, "What the accelerators' time was under each policy", "part of the time", 1, bars));
}

} // namespace pegasus::sim::html
