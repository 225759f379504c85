// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/row_plot.h"

#include "sim/report/html/escape.h"
#include "sim/report/html/shown.h"

#include <algorithm>

namespace pegasus::sim::html {
namespace {

constexpr double group_gap = 9;
constexpr double row_plot_top = 6;
constexpr double below_rows = 36;  // ticks and unit
constexpr double plot_width = 570; // with all names and values, unless that leaves less than ...
constexpr double least_axis = 200;
// Of a character, about.
constexpr double strong_pixels = 7.8;
constexpr double row_name_pixels = 6.8;

double width_of(std::string const& name, double pixels) {
  auto const first_bytes = std::ranges::count_if(shortened(name, name_characters), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  });
  return name.empty() ? 0 : pixels * static_cast<double>(first_bytes) + 10;
}

} // namespace

struct RowPlot::Layout {
  double group_names = 0; // widths
  double row_names = 0;
  double values;
  double rows_height = 0;

  Layout(std::vector<RowGroup> const& groups, double value_width) : values(value_width) {
    for (RowGroup const& group : groups) {
      group_names = std::max(group_names, width_of(group.name, strong_pixels));
      for (std::string const& row : group.rows)
        row_names = std::max(row_names, width_of(row, row_name_pixels));
      rows_height += static_cast<double>(group.rows.size()) * row_height + group_gap;
    }
  }
  [[nodiscard]] double axis_begin() const { return group_names + row_names; }
  [[nodiscard]] double axis_end() const { return std::max(axis_begin() + least_axis, plot_width - values); }
  [[nodiscard]] double width() const { return axis_end() + values; }
  [[nodiscard]] double bottom() const { return row_plot_top + rows_height; }
};

RowPlot::RowPlot(std::string const& title, std::vector<RowGroup> const& groups, MakeAxis const& make_axis,
                 std::string const& unit, double value_width)
    : RowPlot(title, Layout(groups, value_width), groups, make_axis, unit) {}

RowPlot::RowPlot(std::string const& title, Layout const& layout, std::vector<RowGroup> const& groups,
                 MakeAxis const& make_axis, std::string const& unit)
    : svg_(layout.width(), layout.bottom() + below_rows, title),
      axis_(make_axis(layout.axis_begin(), layout.axis_end())), top_(row_plot_top), bottom_(layout.bottom()) {
  for (Tick const& tick : axis_.ticks()) {
    double const x = axis_.place(tick.value);
    svg_.line(x, top_, x, bottom_, "grid");
    svg_.text(x, bottom_ + 14, Anchor::middle, tick.label, "small");
  }
  svg_.text((axis_.begin() + axis_.end()) / 2, bottom_ + 29, Anchor::middle, unit, "small");
  double y = top_;
  for (RowGroup const& group : groups) {
    if (y > top_) svg_.line(0, y, layout.axis_end(), y, "grid");
    y += group_gap / 2;
    svg_.text(0, y + row_height / 2 + 4, Anchor::start, shortened(group.name, name_characters), "strong");
    std::vector<double>& middles = middles_.emplace_back();
    for (std::string const& row : group.rows) {
      middles.push_back(y + row_height / 2);
      svg_.text(axis_.begin() - 6, middles.back() + 4, Anchor::end, shortened(row, name_characters));
      y += row_height;
    }
    y += group_gap / 2;
  }
  svg_.line(axis_.begin(), top_, axis_.begin(), bottom_, "axis");
  svg_.line(axis_.begin(), bottom_, axis_.end(), bottom_, "axis");
}

void RowPlot::mark(double value) { svg_.line(axis_.place(value), top_, axis_.place(value), bottom_, "mark"); }

} // namespace pegasus::sim::html
