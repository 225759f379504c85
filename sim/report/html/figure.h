// SPDX-License-Identifier: Apache-2.0
// A figure of the page: a plot with its title, what it is of, and the numbers that it draws.
#pragma once

#include <string>

namespace pegasus::sim::html {

struct Figure {
  std::string title; // this and the next two are HTML
  std::string text;  // how to read it
  std::string body;
  std::string data; // CSV; empty: save.js reads it from the drawing
};
[[nodiscard]] std::string html_of(Figure const& figure);
// Says in the place of a plot that there is nothing to draw.
[[nodiscard]] std::string empty_plot();

} // namespace pegasus::sim::html
