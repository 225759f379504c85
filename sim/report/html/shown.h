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

// Of a larger scenario the others are drawn as one.
inline constexpr std::size_t drawn_domains = 14;

class Shown {
public:
  // `records`: one for each of the scenario's runs. Both must outlive this.
  Shown(ScenarioRuns const& runs, std::span<RunRecord const> run_records);

  ScenarioRuns const& scenario;
  std::span<RunRecord const> records;

  [[nodiscard]] std::string const& policy(std::size_t run) const { return scenario.runs[run].policy; }
  [[nodiscard]] DomainScenario const& domain(std::size_t index) const {
    return scenario.scenario.domains[index];
  }
  // Positions of the domains that are drawn by themselves, in their order: all, or those that have the least
  // progress over their share by credits under any policy.
  [[nodiscard]] std::vector<std::size_t> const& drawn() const { return drawn_; }
  // Those of them that have kernels to execute.
  [[nodiscard]] std::vector<std::size_t> domains() const;
  [[nodiscard]] bool is_drawn(std::size_t domain) const;
  // The classes, in page.css, of what is drawn of a domain. Dom0 is the one after the last.
  [[nodiscard]] std::string css_class(std::size_t domain) const;
  // No policy's run executed a kernel.
  [[nodiscard]] bool empty() const;

  [[nodiscard]] std::size_t accelerators() const; // that are drawn
  // The last accelerator that the domain was on in that run.
  [[nodiscard]] std::size_t accelerator_of(std::size_t run, std::size_t domain) const {
    return scenario.runs[run].outcome.domains[domain].accelerator;
  }
  // A domain's part of its accelerator in that run, by the credits of all that have kernels for it.
  [[nodiscard]] double share_by_credits(std::size_t run, std::size_t domain) const;

private:
  [[nodiscard]] double worst_progress(std::size_t domain) const;

  std::vector<bool> has_kernels_;            // of each domain
  std::vector<std::vector<double>> credits_; // in each run, of the domains with kernels on each accelerator
  std::vector<std::size_t> drawn_;
};

// Which colour is which domain; all that are drawn, also those without kernels.
[[nodiscard]] std::string legend(Shown const& shown);
// One line of a list of class "legend". The text is HTML.
[[nodiscard]] std::string legend_entry(std::string const& css_class, std::string const& text);
// Names are cut to this in plots; tooltips have all of them.
inline constexpr std::size_t name_characters = 18;
// What stands where a plot has nothing to draw.
inline constexpr std::string_view no_kernels = "no kernels in the measurement";
// "12.3 %"
[[nodiscard]] std::string percent(double part);

} // namespace pegasus::sim::html
