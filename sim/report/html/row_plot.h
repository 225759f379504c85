// SPDX-License-Identifier: Apache-2.0
// A plot of horizontal rows over one axis: a group of rows for each policy, in it a row for each
// domain, or one.
#pragma once

#include "sim/report/html/axis.h"
#include "sim/report/html/svg.h"

#include <functional>
#include <string>
#include <vector>

namespace pegasus::sim::html {

struct RowGroup {
  std::string name;
  std::vector<std::string> rows; // their names; one may be empty
};

class RowPlot {
public:
  using MakeAxis = std::function<Axis(double begin, double end)>;

  // `unit`: what stands below the axis. `value_width` pixels right of the axis are for texts.
  RowPlot(std::string const& title, std::vector<RowGroup> const& groups, MakeAxis const& make_axis,
          std::string const& unit, double value_width = 30);

  [[nodiscard]] Svg& svg() { return svg_; }
  [[nodiscard]] Axis const& axis() const { return axis_; }
  // The middle of a row.
  [[nodiscard]] double middle(std::size_t group, std::size_t row) const { return middles_[group][row]; }
  // A line through all rows at this value.
  void mark(double value);

  static constexpr double row_height = 16;

private:
  struct Layout;
  RowPlot(std::string const& title, Layout const& layout, std::vector<RowGroup> const& groups,
          MakeAxis const& make_axis, std::string const& unit);

  Svg svg_;
  Axis axis_;
  double top_, bottom_; // of the rows
  std::vector<std::vector<double>> middles_;
};

} // namespace pegasus::sim::html
