// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/shown.h"

#include "sim/report/html/escape.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

constexpr std::size_t hues = 7; // in page.css

bool has_kernels(Phase const& phase) {
  return std::ranges::any_of(phase.steps, [](Step const& step) {
    return step.kind != Step::Kind::cpu && step.kind != Step::Kind::sync && step.kind != Step::Kind::sleep;
  });
}

bool has_kernels(DomainScenario const& domain) {
  return std::ranges::any_of(domain.programs, [](ProgramSettings const& program) {
    return std::ranges::any_of(program.phases, [](Phase const& phase) { return has_kernels(phase); });
  });
}

} // namespace

std::vector<std::size_t> Shown::domains() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < std::min(scenario.scenario.domains.size(), recorded_domains); ++i)
    if (has_kernels(domain(i))) found.push_back(i);
  return found;
}

double Shown::share_by_credits(std::size_t run, std::size_t index) const {
  double all = 0;
  for (std::size_t each = 0; each < scenario.scenario.domains.size(); ++each)
    if (accelerator_of(run, each) == accelerator_of(run, index) && has_kernels(domain(each)))
      all += domain(each).accelerator.credits;
  return all > 0 ? domain(index).accelerator.credits / all : 0;
}

std::string domain_class(std::size_t domain) {
  if (domain >= recorded_domains) return "others";
  return fmt::format("d{}{}", domain % hues, domain >= hues ? " tint" : "");
}

std::string legend_entry(std::string const& css_class, std::string const& text) {
  return fmt::format(
      "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"{}\" width=\"14\" "
      "height=\"14\"></rect></svg> {}</li>\n",
      css_class, text);
}

std::string legend(Shown const& shown) {
  std::string entries;
  auto const& domains = shown.scenario.scenario.domains;
  for (std::size_t i = 0; i < std::min(domains.size(), recorded_domains); ++i)
    entries += legend_entry(domain_class(i), fmt::format("{}, {} credits", escaped(domains[i].name),
                                                         domains[i].accelerator.credits));
  if (domains.size() > recorded_domains)
    entries += legend_entry("others", fmt::format("{} others", domains.size() - recorded_domains));
  return "<ul class=\"legend\">\n" + entries + "</ul>\n";
}

std::string figure(std::string const& title, std::string const& text, std::string const& body) {
  return fmt::format(
      "<figure>\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n<div class=\"plot\">\n{}</div>\n"
      "</figure>\n",
      title, text, body);
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

} // namespace pegasus::sim::html
