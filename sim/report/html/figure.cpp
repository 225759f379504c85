// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figure.h"

#include "sim/report/html/escape.h"
#include "sim/report/html/shown.h"

#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

// For save.js, which adds the CR of each line again: a page's text has none.
std::string data_element(std::string data) {
  std::erase(data, '\r');
  return data.empty() ? "" : "<template>" + escaped(data) + "</template>\n";
}

} // namespace

std::string html_of(Figure const& figure) {
  return fmt::format("<figure>\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n<div "
                     "class=\"plot\">\n{}</div>\n{}</figure>\n",
                     figure.title, figure.text, figure.body, data_element(figure.data));
}

std::string empty_plot() { return fmt::format("<p class=\"empty\">{}</p>\n", no_kernels); }

} // namespace pegasus::sim::html
