// SPDX-License-Identifier: Apache-2.0
// What a page shows of one scenario, and how its domains look in all plots.
#pragma once

#include "sim/report/recording.h"
#include "sim/report/scenario_runs.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pegasus::sim::html {

struct Shown {
  ScenarioRuns const& scenario;
  std::span<RunRecord const> records; // one for each of its runs

  [[nodiscard]] std::string const& policy(std::size_t run) const { return scenario.runs[run].policy; }
  [[nodiscard]] DomainScenario const& domain(std::size_t index) const {
    return scenario.scenario.domains[index];
  }
  // Positions of the domains that have plots of their own: those with kernels, up to recorded_domains.
  [[nodiscard]] std::vector<std::size_t> domains() const;
  // The last accelerator that the domain was on in that run.
  [[nodiscard]] std::size_t accelerator_of(std::size_t run, std::size_t domain) const {
    return scenario.runs[run].outcome.domains[domain].accelerator;
  }
  // A domain's part of its accelerator in that run, by the credits of all that have kernels for it.
  [[nodiscard]] double share_by_credits(std::size_t run, std::size_t domain) const;
};

// The classes, in page.css, of what is drawn of the domain at that position of the scenario.
[[nodiscard]] std::string domain_class(std::size_t domain);
// Which colour is which domain; all that are drawn, also those without kernels.
[[nodiscard]] std::string legend(Shown const& shown);
// One line of a list of class "legend". The text is HTML.
[[nodiscard]] std::string legend_entry(std::string const& css_class, std::string const& text);
// A plot with its title and a text that says how to read it, all HTML.
[[nodiscard]] std::string figure(std::string const& title, std::string const& text, std::string const& body);
// Names are cut to this in plots; tooltips have all of them.
inline constexpr std::size_t name_characters = 18;
// "12.3 %"
[[nodiscard]] std::string percent(double part);

} // namespace pegasus::sim::html
