// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/figures.h"

#include "sim/report/html/escape.h"
#include "sim/report/summary.h"

#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

std::string html_of(std::string const& text) {
  std::string html = escaped(text);
  if (std::size_t const at = html.find("+-"); at != std::string::npos) html.replace(at, 2, "&plusmn;");
  return html;
}

} // namespace

std::string summary_table(ScenarioRuns const& of) {
  std::vector<SummaryRow> const rows = summary_of(of);
  std::string html = "<div class=\"summary\"><table>\n<thead><tr><th scope=\"col\">policy</th>";
  for (Metric const& metric : metrics())
    html += fmt::format("<th scope=\"col\">{}</th>", metric.name);
  html += "</tr></thead>\n<tbody>\n";
  for (SummaryRow const& row : rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(row.policy));
    for (SummaryCell const& cell : row.cells)
      html += fmt::format("<td{}{}>{}</td>", cell.best ? " class=\"best\"" : "",
                          cell.estimate ? fmt::format(" data-value=\"{}\"", cell.estimate->mean) : "",
                          html_of(cell.text));
    html += "</tr>\n";
  }
  html += "</tbody></table>\n<ul class=\"notes\">\n";
  for (std::string const& line : legend_of(of, rows, "bold"))
    html += "<li>" + html_of(line) + "</li>\n";
  return html + "</ul></div>\n";
}

} // namespace pegasus::sim::html
