// SPDX-License-Identifier: Apache-2.0
// A drawing, as SVG inside a page. Places and lengths are in pixels, from the top left. Classes are those of
// page.css; texts are escaped here.
#pragma once

#include <string>
#include <string_view>

namespace pegasus::sim::html {

enum class Anchor { start, middle, end };

class Svg {
public:
  // `title` is what a screen reader says of it.
  Svg(double width, double height, std::string_view title);

  // A `tooltip` may be empty.
  void rect(double x, double y, double width, double height, std::string_view css_class,
            std::string_view tooltip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void circle(double x, double y, double radius, std::string_view css_class);
  void path(std::string_view d, std::string_view css_class, std::string_view tooltip = {});
  void text(double x, double y, Anchor anchor, std::string_view text, std::string_view css_class = {});
  // What is drawn between these two has one tooltip, and nothing else has one there.
  void begin_group(std::string_view tooltip);
  void end_group();
  // A drawing of its own, with its own units, stretched to this place.
  void begin_stretched(double x, double y, double width, double height, double own_width, double own_height);
  void end_stretched();

  [[nodiscard]] std::string done() const { return text_ + "</svg>\n"; }

private:
  std::string text_;
};

// A place or length as SVG has it: with at most one digit after the point.
[[nodiscard]] std::string number(double value);

} // namespace pegasus::sim::html
