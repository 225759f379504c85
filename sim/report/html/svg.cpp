// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/svg.h"

#include "sim/report/html/escape.h"

#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

std::string title_element(std::string_view title) {
  return title.empty() ? std::string() : fmt::format("<title>{}</title>", escaped(title));
}

} // namespace

std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title)
    : text_(fmt::format(R"(<svg role="img" aria-label="{2}" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)"
                        "\n",
                        number(width), number(height), escaped(title))) {}

void Svg::rect(double x, double y, double width, double height, std::string_view css_class,
               std::string_view tooltip) {
  text_ +=
      fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>\n", css_class,
                  number(x), number(y), number(width), number(height), title_element(tooltip));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  text_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", css_class,
                       number(x1), number(y1), number(x2), number(y2));
}

void Svg::circle(double x, double y, double radius, std::string_view css_class) {
  text_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", css_class, number(x),
                       number(y), number(radius));
}

void Svg::path(std::string_view d, std::string_view css_class, std::string_view tooltip) {
  text_ += fmt::format("<path class=\"{}\" d=\"{}\">{}</path>\n", css_class, d, title_element(tooltip));
}

void Svg::text(double x, double y, Anchor anchor, std::string_view text, std::string_view css_class) {
  static constexpr std::string_view anchors[] = {"start", "middle", "end"};
  text_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", css_class,
                       number(x), number(y), anchors[static_cast<std::size_t>(anchor)], escaped(text));
}

void Svg::begin_group(std::string_view tooltip) { text_ += "<g>" + title_element(tooltip) + "\n"; }
void Svg::end_group() { text_ += "</g>\n"; }

void Svg::begin_stretched(double x, double y, double width, double height, double own_width,
                          double own_height) {
  text_ +=
      fmt::format("<svg class=\"stretched\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                  "viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">\n",
                  number(x), number(y), number(width), number(height), number(own_width), number(own_height));
}
void Svg::end_stretched() { text_ += "</svg>\n"; }

} // namespace pegasus::sim::html
