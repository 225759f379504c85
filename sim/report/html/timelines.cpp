// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figures.h"

#include "sim/report/html/axis.h"
#include "sim/report/html/escape.h"
#include "sim/report/html/figure.h"
#include "sim/report/html/svg.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

namespace pegasus::sim::html {
namespace {

constexpr double lane_left = 96, lane_width = 1080, lane_height = 18, lane_gap = 6, lanes_top = 4;
// The unit of a stretched drawing, in x; timelines.js knows it. In y, a row is own_row high.
constexpr Nanos time_unit{100};
constexpr double own_row = 10, own_piece = 8;

std::int64_t units(Nanos time) { return time / time_unit; }
double milliseconds_of(Nanos time) { return std::chrono::duration<double, std::milli>(time).count(); }

// One path for each row and domain, and one for all domains that are not drawn by themselves: timelines.js finds the
// pieces in it.
void draw_pieces(Svg& svg, Shown const& shown, std::vector<Piece> const& pieces,
                 std::string const& row_name) {
  std::size_t const others = shown.scenario.scenario.domains.size();
  std::map<std::pair<std::size_t, std::size_t>, std::string> paths;
  for (Piece const& piece : pieces) {
    std::size_t const domain = shown.is_drawn(piece.domain) ? piece.domain : others;
    std::int64_t const from = units(piece.from);
    std::int64_t const length = std::max<std::int64_t>(units(piece.to) - from, 1);
    fmt::format_to(std::back_inserter(paths[{piece.row, domain}]), "M{} {}h{}v{}h-{}z", from,
                   number(piece.row * own_row + (own_row - own_piece) / 2), length, number(own_piece),
                   length);
  }
  for (auto const& [key, d] : paths) {
    auto const& [row, domain] = key;
    svg.path(d, shown.css_class(domain) + " pieces",
             fmt::format("{} {}: {}", row_name, row,
                         domain == others ? "another domain" : shown.domain(domain).name));
  }
}

void draw_lanes(Svg& svg, Shown const& shown, double y, std::size_t rows, std::string const& row_name,
                std::vector<Piece> const& pieces, Nanos recorded, Nanos window) {
  auto const count = static_cast<double>(rows);
  for (std::size_t row = 0; row < rows; ++row)
    svg.text(lane_left - 8, y + (static_cast<double>(row) + 0.5) * lane_height + 4, Anchor::end,
             fmt::format("{} {}", row_name, row), "small");
  auto const width = static_cast<double>(units(window));
  svg.begin_stretched(lane_left, y, lane_width, count * lane_height, width, count * own_row);
  svg.rect(0, 0, width, count * own_row, "ground");
  for (std::size_t row = 0; row < rows; ++row)
    svg.rect(0, static_cast<double>(row) * own_row + 1, width, own_piece, "idle");
  auto const known = static_cast<double>(units(recorded));
  if (recorded < window)
    svg.rect(known, 0, width - known, count * own_row, "ground", "not recorded: too many pieces");
  draw_pieces(svg, shown, pieces, row_name);
  svg.end_stretched();
}

std::string lanes(Shown const& shown, std::size_t run, Nanos window) {
  RunRecord const& record = shown.records[run];
  Scenario const& scenario = shown.scenario.scenario;
  std::size_t const pcpus = std::min<std::size_t>(all_pcpus(scenario), recorded_pcpus);
  std::size_t const accelerators = shown.accelerators();
  double const cpu_height = static_cast<double>(pcpus) * lane_height;
  double const bottom =
      lanes_top + cpu_height + lane_gap + static_cast<double>(accelerators) * lane_height + 2;
  Svg svg(lane_left + lane_width + 20, bottom + 34,
          "What ran on pCPUs and accelerators: " + shown.policy(run));
  draw_lanes(svg, shown, lanes_top, pcpus, "pCPU", record.cpu, record.window, window);
  draw_lanes(svg, shown, lanes_top + cpu_height + lane_gap, accelerators, "accelerator", record.accelerator,
             record.window, window);
  svg.line(lane_left, bottom, lane_left + lane_width, bottom, "axis");
  Axis const axis = Axis::exact(milliseconds_of(window), lane_left, lane_left + lane_width);
  for (Tick const& tick : axis.ticks()) {
    double const x = axis.place(tick.value);
    svg.line(x, bottom, x, bottom + 4, "axis tick");
    svg.text(x, bottom + 16, Anchor::middle, tick.label, "small tick");
  }
  svg.text(lane_left + lane_width / 2, bottom + 31, Anchor::middle, "ms of the measurement", "small");
  std::string const cut = record.window < window
                              ? fmt::format(": the first {:.3f} ms, which are {} pieces",
                                            milliseconds_of(record.window), recorded_pieces)
                              : "";
  std::string const policy = escaped(shown.policy(run));
  std::string const empty =
      executed_nothing(shown.scenario.runs[run].outcome) ? fmt::format(": {}", no_kernels) : "";
  return fmt::format("<div class=\"timeline\" data-policy=\"{}\"><h4>{}{}{}</h4>\n{}</div>\n", policy, policy,
                     cut, empty, svg.done());
}

} // namespace

std::string timelines_figure(Shown const& shown) {
  Nanos window{0};
  for (RunRecord const& record : shown.records)
    window = std::max(window, record.window);
  std::string all;
  for (std::size_t run = 0; run < shown.records.size(); ++run)
    all += lanes(shown, run, window);
  Scenario const& scenario = shown.scenario.scenario;
  std::string left_out;
  if (all_pcpus(scenario) > recorded_pcpus)
    left_out += fmt::format(" The first {} of {} pCPUs.", recorded_pcpus, all_pcpus(scenario));
  if (scenario.accelerators.size() > recorded_accelerators)
    left_out +=
        fmt::format(" The first {} of {} accelerators.", recorded_accelerators, scenario.accelerators.size());
  return html_of(
      {.title = "pCPUs and accelerators side by side",
       .text = fmt::format(
           "The first {:.6g} ms of the measurement: on each pCPU the domain whose vCPU runs, on each "
           "accelerator the domain whose kernel executes. At most {:.6g} ms or {} pieces of a policy.{} "
           "<code>--trace</code> writes all of it.",
           milliseconds_of(window), milliseconds_of(recorded_window), recorded_pieces, left_out),
       .body = legend(shown) + "<div class=\"timelines\">\n" + all + "</div>\n",
       .data = ""});
}

} // namespace pegasus::sim::html
