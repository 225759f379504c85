// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/page.h"

#include "sim/report/html/escape.h"
#include "sim/report/html/figures.h"
#include "sim/report/html/shown.h"
#include "sim/report/print.h"

#include <fmt/format.h>

namespace pegasus::sim {
namespace {

// The browser loads nothing, whatever a scenario's texts are.
constexpr std::string_view page_head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

std::string heading_of(ScenarioRuns const& of) {
  return of.scenario.variant.empty() ? of.name : fmt::format("{}, {}", of.name, of.scenario.variant);
}

std::string closed_box(std::string_view title, std::string const& text) {
  return fmt::format("<details><summary>{}</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n", title,
                     html::escaped(text));
}

// What a page leaves out of a large scenario.
std::string domains_left_out(html::Shown const& shown) {
  std::size_t const all = shown.scenario.scenario.domains.size();
  if (all == shown.drawn().size()) return "";
  return fmt::format(
      "<p>The plots show {} of {} domains by themselves: those that have the least progress over their "
      "share by credits under any policy.</p>\n",
      shown.drawn().size(), all);
}

// `with_text`: the scenario's own is shown, which is that of all its values of `vary`.
std::string scenario_section(html::Shown const& shown, std::size_t number, bool with_text) {
  ScenarioRuns const& of = shown.scenario;
  return fmt::format("<section id=\"s{}\">\n<h2>{}</h2>\n<p>{}</p>\n", number, html::escaped(heading_of(of)),
                     html::escaped(title_of(of.scenario))) +
         html::summary_table(of) + closed_box("As printed", as_table(std::span(&of, 1))) +
         (with_text ? closed_box("The scenario's file (TOML)", of.text) : "") + domains_left_out(shown) +
         html::legend(shown) + "<div class=\"figures\">\n" + html::throughput_figures(shown) +
         html::waits_figure(shown) + "<div>\n" + html::fairness_figure(shown) + html::work_figure(shown) +
         html::device_time_figure(shown) + "</div>\n</div>\n" + html::shares_figure(shown) +
         html::timelines_figure(shown) + "</section>\n";
}

} // namespace

std::string as_html(std::span<ScenarioRuns const> all, std::span<RunRecord const> records,
                    Reproduction const& reproduction) {
  std::string contents;
  std::string sections;
  std::size_t number = 0;
  for (ScenarioRuns const& of : all) {
    contents += fmt::format("<li><a href=\"#s{}\">{}</a> {}</li>\n", number, html::escaped(heading_of(of)),
                            html::escaped(title_of(of.scenario)));
    bool const with_text = !of.text.empty() && (number == 0 || all[number - 1].name != of.name);
    sections += scenario_section({of, records.first(of.runs.size())}, number, with_text);
    records = records.subspan(of.runs.size());
    ++number;
  }
  std::string const title =
      fmt::format("pegasus-sim: {}{}", all.empty() ? "" : html::escaped(all.front().name),
                  all.size() > 1 ? fmt::format(" and {} more", all.size() - 1) : "");
  std::string page(page_head);
  page += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<h1>{}</h1>\n", title,
                      page_style(), title);
  page += fmt::format("<p>Policies in virtual time, by pegasus-sim {}. Reproduce with: "
                      "<code>{}</code></p>\n",
                      html::escaped(reproduction.version), html::escaped(reproduction.command));
  if (all.size() > 1) page += "<nav><ul>\n" + contents + "</ul></nav>\n";
  page += sections;
  page += fmt::format("<script>\n{}</script>\n</body>\n</html>\n", page_script());
  return page;
}

} // namespace pegasus::sim
