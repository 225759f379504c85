// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/shares.h"

#include "sim/report/html/axis.h"
#include "sim/report/html/escape.h"
#include "sim/report/html/svg.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

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
  Axis const& time; // from 0 to 1
  Axis const& part;
  Nanos duration;
  Heights lower{};

  // What is drawn next lies on it.
  void add(RunRecord::Intervals const& device, std::string const& css_class, std::string const& tooltip) {
    Heights upper = lower;
    Nanos sum{0};
    for (std::size_t i = 0; i < recorded_intervals; ++i) {
      Nanos const length = interval_begin(duration, i + 1) - interval_begin(duration, i);
      if (length > Nanos{0})
        upper[i] += static_cast<double>(device[i].count()) / static_cast<double>(length.count());
      sum += device[i];
    }
    if (sum > Nanos{0})
      svg.path(area_path(lower, upper, time, part), css_class + " area",
               tooltip + ": " + percent(std::chrono::duration<double>(sum) / duration));
    lower = upper;
  }
};

std::string area_plot(Shown const& shown, std::size_t run, std::size_t accelerator) {
  Nanos const duration = shown.scenario.scenario.duration;
  std::string const name = fmt::format("{}, accelerator {}", shown.policy(run), accelerator);
  Svg svg(area_right + 14, area_bottom + 36, "Shares over time: " + name);
  Axis const seconds_axis =
      Axis::exact(std::chrono::duration<double>(duration).count(), area_left, area_right);
  Axis const time = Axis::exact(1, area_left, area_right);
  Axis const part = Axis::exact(1, area_bottom, area_top);
  RunRecord const& record = shown.records[run];
  Areas areas{svg, time, part, duration};
  std::vector<double> borders; // of shares by credits
  double border = 0;
  for (std::size_t const i : shown.domains()) {
    if (shown.accelerator_of(run, i) != accelerator) continue;
    areas.add(record.device[i], domain_class(i), shown.policy(run) + ", " + shown.domain(i).name);
    borders.push_back(border += shown.share_by_credits(run, i));
  }
  areas.add(record.others[accelerator], "others", shown.policy(run) + ", other domains");
  if (!borders.empty()) borders.pop_back();
  for (double const each : borders)
    svg.line(area_left, part.place(each), area_right, part.place(each), "entitled");
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
  return fmt::format("<div><h4>{}</h4>\n{}</div>\n", escaped(name), svg.done());
}

} // namespace

std::string shares_figure(Shown const& shown) {
  std::string plots;
  for (std::size_t run = 0; run < shown.records.size(); ++run)
    for (std::size_t accelerator = 0; accelerator < shown.records[run].others.size(); ++accelerator)
      plots += area_plot(shown, run, accelerator);
  std::size_t const all = shown.scenario.scenario.accelerators.size();
  std::string const left_out = all > recorded_accelerators ? fmt::format(" The first {} of {} accelerators.",
                                                                         recorded_accelerators, all)
                                                           : "";
  return figure("Shares of each accelerator over time",
                "The part of each interval in which it executed kernels of each domain; what is left is idle "
                "or a change "
                "of contexts. The dashed lines are where the borders would be by credits." +
                    left_out,
                legend(shown) + "<div class=\"multiples\">\n" + plots + "</div>\n");
}

} // namespace pegasus::sim::html
