// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/shown.h"

#include "sim/report/html/escape.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace pegasus::sim::html {
namespace {

constexpr std::size_t hues = 7; // in page.css

bool has_kernels(Phase const& phase) {
  return std::ranges::any_of(phase.steps, [](Step const& step) { return makes_requests(step.kind); });
}

bool has_kernels(DomainScenario const& domain) {
  return std::ranges::any_of(domain.programs, [](ProgramSettings const& program) {
    return std::ranges::any_of(program.phases, [](Phase const& phase) { return has_kernels(phase); });
  });
}

} // namespace

Shown::Shown(ScenarioRuns const& runs, std::span<RunRecord const> run_records)
    : scenario(runs), records(run_records), drawn_(runs.scenario.domains.size()) {
  for (DomainScenario const& each : scenario.scenario.domains)
    has_kernels_.push_back(has_kernels(each));
  for (std::size_t run = 0; run < scenario.runs.size(); ++run) {
    std::vector<double>& credits = credits_.emplace_back(scenario.scenario.accelerators.size());
    for (std::size_t i = 0; i < has_kernels_.size(); ++i)
      if (has_kernels_[i]) credits[accelerator_of(run, i)] += domain(i).accelerator.credits;
  }
  std::iota(drawn_.begin(), drawn_.end(), std::size_t{0});
  if (drawn_.size() <= drawn_domains) return;
  std::vector<double> progress;
  for (std::size_t const i : drawn_)
    progress.push_back(worst_progress(i));
  std::ranges::stable_sort(drawn_, {}, [&progress](std::size_t i) { return progress[i]; });
  drawn_.resize(drawn_domains);
  std::ranges::sort(drawn_);
}

double Shown::worst_progress(std::size_t index) const {
  double worst = std::numeric_limits<double>::infinity();
  if (!has_kernels_[index]) return worst;
  for (std::size_t run = 0; run < scenario.runs.size(); ++run)
    worst = std::min(worst, scenario.runs[run].progress[index] / share_by_credits(run, index));
  return worst;
}

std::vector<std::size_t> Shown::domains() const {
  std::vector<std::size_t> found;
  std::ranges::copy_if(drawn_, std::back_inserter(found), [this](std::size_t i) { return has_kernels_[i]; });
  return found;
}

bool Shown::is_drawn(std::size_t index) const { return std::ranges::binary_search(drawn_, index); }

std::string Shown::css_class(std::size_t index) const {
  if (!is_drawn(index)) return "others";
  auto const place = static_cast<std::size_t>(std::ranges::lower_bound(drawn_, index) - drawn_.begin());
  return fmt::format("d{}{}", place % hues, place >= hues ? " tint" : "");
}

bool Shown::empty() const {
  return std::ranges::all_of(scenario.runs, [](Run const& run) { return executed_nothing(run.outcome); });
}

std::size_t Shown::accelerators() const {
  return std::min(scenario.scenario.accelerators.size(), recorded_accelerators);
}

double Shown::share_by_credits(std::size_t run, std::size_t index) const {
  double const all = credits_[run][accelerator_of(run, index)];
  return all > 0 ? domain(index).accelerator.credits / all : 0;
}

std::string legend_entry(std::string const& css_class, std::string const& text) {
  return fmt::format(
      "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"{}\" width=\"14\" "
      "height=\"14\"></rect></svg> {}</li>\n",
      css_class, text);
}

std::string legend(Shown const& shown) {
  std::string entries;
  for (std::size_t const i : shown.drawn())
    entries += legend_entry(shown.css_class(i), fmt::format("{}, {} credits", escaped(shown.domain(i).name),
                                                            shown.domain(i).accelerator.credits));
  std::size_t const others = shown.scenario.scenario.domains.size() - shown.drawn().size();
  if (others > 0) entries += legend_entry("others", fmt::format("{} others", others));
  return "<ul class=\"legend\">\n" + entries + "</ul>\n";
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

} // namespace pegasus::sim::html
