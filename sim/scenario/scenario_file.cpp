// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/scenario_file.h"

#include "control/quantity.h"
#include "control/toml_table.h"
#include "policies/tunables.h"
#include "policies/view.h"
#include "sim/scenario/domains.h"
#include "sim/scenario/hardware.h"
#include "sim/scenario/setting.h"
#include "sim/text_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::sim {
namespace {

using std::chrono::milliseconds;

void add_recorded(toml::node const& node, Scenario& scenario) {
  if (!node.is_table()) TomlTable::fail(node, "recorded must be a table: [recorded]");
  TomlTable table(*node.as_table(), "[recorded]");
  std::vector<std::string> names;
  for (DomainScenario const& domain : scenario.domains)
    names.push_back(domain.name);
  scenario.recorded = read_recorded(table, names);
  table.no_other_keys();
}

void check_promises(toml::table const& document, Scenario const& scenario) {
  std::vector<double> sums(scenario.accelerators.size());
  for (DomainScenario const& domain : scenario.domains)
    if (auto const fixed = fixed_accelerator(scenario, domain)) sums[*fixed] += domain.accelerator.slo;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] > 1)
      TomlTable::fail(
          document,
          fmt::format("the SLOs on accelerator {} add up to {:.2f}; at most 1 can be kept", i, sums[i]));
}

std::vector<Measure> read_shows(TomlTable& table, std::vector<Measure> const& usual) {
  std::vector<Measure> shows;
  for (std::string const& name : table.texts("shows")) {
    auto const* const found = std::ranges::find(measures, name, &std::pair<std::string_view, Measure>::first);
    if (found == measures.end()) {
      std::string names;
      for (auto const& [each, measure] : measures)
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", each);
      TomlTable::fail(*table.find("shows"), fmt::format("each entry of shows must be one of {}", names));
    }
    shows.push_back(found->second);
  }
  return shows.empty() ? usual : shows;
}

bool read_reservations(TomlTable& table) {
  std::string const slos = table.text("slos", "reserved");
  if (slos != "reserved" && slos != "policy")
    TomlTable::fail(*table.find("slos"), "slos must be \"reserved\" or \"policy\"");
  return slos == "reserved";
}

std::vector<std::string> read_vary(TomlTable& table) {
  std::vector<std::string> vary = table.texts("vary");
  for (std::string const& text : vary) {
    if (control::whole_number(text, 1, max_count)) continue;
    if (auto const time = control::time(text); !time || *time < Nanos{0} || *time > max_span)
      TomlTable::fail(*table.find("vary"),
                      "each entry of vary must be a time, such as \"2ms\", or a count, such as \"2\"");
  }
  return vary;
}

Scenario read(toml::table const& document, std::string const& variant) {
  Scenario scenario;
  TomlTable table(document, "a scenario");
  scenario.variant = variant;
  read_vary(table);
  scenario.shows = read_shows(table, scenario.shows);
  scenario.title = table.text("title", "");
  scenario.policies = table.texts("policies");
  scenario.duration = table.time("duration", scenario.duration, milliseconds(1), max_duration);
  scenario.warm_up = table.time("warm_up", scenario.warm_up, Nanos{0}, max_duration);
  scenario.tick = table.time("tick", scenario.tick, policies::min_tick, policies::max_tick);
  scenario.reservations = read_reservations(table);
  scenario.runaway = table.time("runaway", scenario.runaway, milliseconds(1), max_duration);
  if (toml::node const* const cpus = table.find("cpus")) read_cpus(*cpus, scenario);
  if (toml::node const* const dom0 = table.find("dom0")) read_dom0(*dom0, scenario);
  table.for_each("accelerator",
                 [&](TomlTable& each) { scenario.accelerators.push_back(read_accelerator(each, variant)); });
  if (scenario.accelerators.empty()) scenario.accelerators.emplace_back();
  table.for_each("domain", [&](TomlTable& each) { read_domain(each, scenario); });
  if (toml::node const* const node = table.find("recorded")) add_recorded(*node, scenario);
  table.no_other_keys();
  if (scenario.domains.empty()) table.fail("a scenario needs at least one [[domain]]");
  check_promises(document, scenario);
  return scenario;
}

std::vector<Scenario> read_all(toml::table const& document) {
  TomlTable table(document, "a scenario");
  std::vector<Scenario> scenarios;
  for (std::string const& variant : read_vary(table))
    scenarios.push_back(read(document, variant));
  if (scenarios.empty()) scenarios.push_back(read(document, ""));
  return scenarios;
}

} // namespace

Scenarios parse_scenarios(std::string_view text, std::string_view name,
                          std::vector<std::string> const& settings) {
  try {
    toml::table document = toml::parse(text, name);
    for (std::string const& setting : settings)
      set(document, setting);
    auto scenarios = read_all(document);
    for (Scenario& scenario : scenarios)
      scenario.settings = settings;
    return scenarios;
  } catch (toml::parse_error const& error) {
    return tl::unexpected(control::error_at(error.source(), name, error.description()));
  } catch (control::TomlError const& error) {
    return tl::unexpected(control::error_at(error.where, name, error.what()));
  }
}

Scenarios read_scenarios(std::string const& path, std::vector<std::string> const& settings) {
  return read_file(path).and_then(
      [&](std::string const& text) { return parse_scenarios(text, path, settings); });
}

} // namespace pegasus::sim
