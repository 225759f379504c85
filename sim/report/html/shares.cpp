// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figures.h"

#include "sim/report/csv.h"
#include "sim/report/html/axis.h"
#include "sim/report/html/escape.h"
#include "sim/report/html/figure.h"
#include "sim/report/html/svg.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace pegasus::sim::html {
namespace {

using Heights = std::array<double, recorded_intervals>; // parts of 1

constexpr double area_left = 40, area_right = 290, area_top = 8, area_bottom = 108;

// A step for each interval: along the upper border, and back along the lower.
std::string area_path(Heights const& lower, Heights const& upper, Axis const& time, Axis const& part) {
  std::string d;
  auto const x = [&time](std::size_t interval) {
    return number(time.place(static_cast<double>(interval) / static_cast<double>(recorded_intervals)));
  };
  for (std::size_t i = 0; i < recorded_intervals; ++i)
    d += fmt::format("{}{} {}H{}", i == 0 ? 'M' : 'L', x(i), number(part.place(upper[i])), x(i + 1));
  for (std::size_t i = recorded_intervals; i-- > 0;)
    d += fmt::format("V{}H{}", number(part.place(lower[i])), x(i));
  return d + "z";
}

struct Areas {
  Svg& svg;
  Csv& data;
  std::string const& policy;
  std::size_t accelerator;
  Axis const& time; // from 0 to 1
  Axis const& part;
  Nanos duration;
  Heights lower{};

  // What is drawn next lies on it. Nothing is drawn of a domain that executed nothing.
  void add(RunRecord::Intervals const& device, std::string const& css_class, std::string const& domain) {
    Nanos const sum = std::accumulate(device.begin(), device.end(), Nanos{0});
    if (sum <= Nanos{0}) return;
    Heights upper = lower;
    for (std::size_t i = 0; i < recorded_intervals; ++i) {
      Nanos const begin = interval_begin(duration, i);
      Nanos const length = interval_begin(duration, i + 1) - begin;
      double const used = length > Nanos{0}
                              ? static_cast<double>(device[i].count()) / static_cast<double>(length.count())
                              : 0;
      upper[i] += used;
      data.add(policy)
          .add(accelerator)
          .add(domain)
          .add(std::chrono::duration<double>(begin).count())
          .add(used);
      data.end_row();
    }
    svg.path(
        area_path(lower, upper, time, part), css_class + " area",
        fmt::format("{}, {}: {}", policy, domain, percent(std::chrono::duration<double>(sum) / duration)));
    lower = upper;
  }
};

// Of the domains that are not drawn by themselves, together.
RunRecord::Intervals others_of(Shown const& shown, std::size_t run, std::size_t accelerator) {
  RunRecord::Intervals sum{};
  for (std::size_t i = 0; i < shown.scenario.scenario.domains.size(); ++i)
    if (!shown.is_drawn(i) && shown.accelerator_of(run, i) == accelerator)
      std::ranges::transform(sum, shown.records[run].device[i], sum.begin(), std::plus<>());
  return sum;
}

// Ticks and axes; `seconds_axis` has the time of the measurement.
void draw_axes(Svg& svg, Axis const& seconds_axis, Axis const& part) {
  for (double const tick : {0.0, 0.5, 1.0})
    svg.text(area_left - 6, part.place(tick) + 4, Anchor::end, fmt::format("{:.0f} %", 100 * tick), "small");
  std::vector<Tick> const ticks = seconds_axis.ticks();
  std::size_t const every = ticks.size() > 6 ? 2 : 1;
  for (std::size_t i = 0; i < ticks.size(); i += every) {
    double const x = seconds_axis.place(ticks[i].value);
    svg.line(x, area_bottom, x, area_bottom + 4, "axis");
    svg.text(x, area_bottom + 16, Anchor::middle, ticks[i].label, "small");
  }
  svg.text((area_left + area_right) / 2, area_bottom + 31, Anchor::middle, "s of the measurement", "small");
  svg.line(area_left, area_top, area_left, area_bottom, "axis");
  svg.line(area_left, area_bottom, area_right, area_bottom, "axis");
}

std::string area_plot(Shown const& shown, std::size_t run, std::size_t accelerator, Csv& data) {
  Nanos const duration = shown.scenario.scenario.duration;
  std::string const name = fmt::format("{}, accelerator {}", shown.policy(run), accelerator);
  Svg svg(area_right + 14, area_bottom + 36, "Shares over time: " + name);
  Axis const time = Axis::exact(1, area_left, area_right);
  Axis const part = Axis::exact(1, area_bottom, area_top);
  Areas areas{svg, data, shown.policy(run), accelerator, time, part, duration};
  std::vector<double> borders; // of shares by credits
  double border = 0;
  for (std::size_t const i : shown.domains()) {
    if (shown.accelerator_of(run, i) != accelerator) continue;
    areas.add(shown.records[run].device[i], shown.css_class(i), shown.domain(i).name);
    borders.push_back(border += shown.share_by_credits(run, i));
  }
  areas.add(others_of(shown, run, accelerator), "others", "other domains");
  if (areas.lower == Heights{})
    svg.text((area_left + area_right) / 2, (area_top + area_bottom) / 2, Anchor::middle, no_kernels, "small");
  if (!borders.empty()) borders.pop_back();
  for (double const each : borders)
    svg.line(area_left, part.place(each), area_right, part.place(each), "entitled");
  draw_axes(svg, Axis::exact(std::chrono::duration<double>(duration).count(), area_left, area_right), part);
  return fmt::format("<div><h4>{}</h4>\n{}</div>\n", escaped(name), svg.done());
}

} // namespace

std::string shares_figure(Shown const& shown) {
  std::string plots;
  Csv data({"policy", "accelerator", "domain", "from_s", "part"});
  for (std::size_t run = 0; run < shown.records.size(); ++run)
    for (std::size_t accelerator = 0; accelerator < shown.accelerators(); ++accelerator)
      plots += area_plot(shown, run, accelerator, data);
  std::size_t const all = shown.scenario.scenario.accelerators.size();
  std::string const left_out = all > recorded_accelerators ? fmt::format(" The first {} of {} accelerators.",
                                                                         recorded_accelerators, all)
                                                           : "";
  return html_of(
      {.title = "Shares of each accelerator over time",
       .text =
           "The part of each interval in which it executed kernels of each domain; what is left is idle or a "
           "change of contexts. The dashed lines are where the borders would be by credits." +
           left_out,
       .body =
           shown.empty() ? empty_plot() : legend(shown) + "<div class=\"multiples\">\n" + plots + "</div>\n",
       .data = data.text()});
}

} // namespace pegasus::sim::html
