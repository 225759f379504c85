// SPDX-License-Identifier: Apache-2.0
// pegasus-sim: what a policy does with the programs of a scenario, in virtual time.
#include "plugins/policy_plugin.h"
#include "policies/registry.h"
#include "sim/report/files.h"
#include "sim/report/html/escape.h"
#include "sim/report/html/page.h"
#include "sim/report/listing.h"
#include "sim/report/print.h"
#include "sim/report/recording.h"
#include "sim/report/trace.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"
#include "sim/text_file.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <map>

namespace {

using namespace pegasus::sim;

struct NamedScenario {
  std::string name;
  Scenario scenario;
  std::string text; // of its file
};
using NamedScenarios = tl::expected<std::vector<NamedScenario>, std::string>;

void add(std::vector<NamedScenario>& to, std::string const& name, std::vector<Scenario> const& scenarios,
         std::string_view text) {
  for (Scenario const& scenario : scenarios)
    to.push_back({name, scenario, std::string(text)});
}

// The built-in scenario of that name, or all whose names continue it after a dash: a figure's programs.
NamedScenarios find_builtin(std::string const& name, std::vector<std::string> const& settings) {
  std::vector<NamedScenario> found;
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    std::string const own(builtin.name);
    if (own != name && !own.starts_with(name + "-")) continue;
    auto const scenarios = parse_scenarios(builtin.text, own + ".toml", settings);
    if (!scenarios) return tl::unexpected(scenarios.error());
    add(found, own, *scenarios, builtin.text);
  }
  return found;
}

NamedScenarios find_scenarios(std::string const& name, std::vector<std::string> const& settings) {
  auto builtin = find_builtin(name, settings);
  if (!builtin || !builtin->empty()) return builtin;
  auto const text = read_file(name);
  auto const scenarios =
      text.and_then([&](auto const& toml) { return parse_scenarios(toml, name, settings); });
  if (scenarios) {
    std::vector<NamedScenario> found;
    add(found, std::filesystem::path(name).stem().string(), *scenarios, *text);
    return found;
  }
  bool const is_path = name.find_first_of("/.") != std::string::npos;
  return tl::unexpected(is_path ? scenarios.error()
                                : scenarios.error() + "; it is not a built-in scenario either: see --list");
}

// Loads the plug-ins that are named as files, as in "./mine.so slice=2ms", and returns the words with the names
// of their policies instead.
tl::expected<std::vector<std::string>, std::string> load_plugins(std::vector<std::string> policies) {
  std::map<std::string, std::string> names; // by file: one file may be tried with several settings
  for (std::string& words : policies) {
    std::string const file = words.substr(0, words.find(' '));
    if (file.find('/') == std::string::npos && !file.ends_with(".so")) continue;
    if (!names.contains(file)) {
      auto const entry = pegasus::plugins::load_policy(file, pegasus::plugins::Trust::any);
      if (!entry) return tl::unexpected(entry.error());
      names.emplace(file, (*entry)->name);
    }
    words.replace(0, file.size(), names.at(file));
  }
  return policies;
}

// The operator's policies, else the scenario's, else all; and first, if it is not among them,
// the recorded one.
std::vector<std::string> policies_for(Scenario const& scenario, std::vector<std::string> const& wanted) {
  std::vector<std::string> all = wanted.empty() ? scenario.policies : wanted;
  if (all.empty())
    for (pegasus::policies::Entry const& entry : pegasus::policies::registry())
      all.emplace_back(entry.name);
  if (scenario.recorded && std::ranges::find(all, scenario.recorded->policy) == all.end())
    all.insert(all.begin(), scenario.recorded->policy);
  return all;
}

// A list on a terminal is not wider than this.
constexpr std::size_t list_columns = 100;

// What writes the same report. A built-in scenario and a file are called as the operator did.
std::string report_command(std::string const& scenario, std::vector<std::string> const& policies,
                           std::vector<std::string> const& settings, Seeds seeds) {
  std::string command = "pegasus-sim " + html::shell_word(scenario);
  for (std::string const& policy : policies)
    command += " --policy " + html::shell_word(policy);
  for (std::string const& setting : settings)
    command += " --set " + html::shell_word(setting);
  command += fmt::format(" --seed {}", seeds.first);
  if (seeds.count > 0) command += fmt::format(" --seeds {}", seeds.count);
  return command + " --report report.html";
}

// The exit status.
int status_of(Written const& written) {
  if (!written) fmt::print(stderr, "pegasus-sim: {}\n", written.error());
  return written ? 0 : 1;
}

// What the operator wants to have; a name of a file is empty if it is not wanted.
struct Outputs {
  std::string csv, trace, report;
  bool json = false;

  [[nodiscard]] bool prints_csv() const { return csv == "-"; }
};

Written write_all(Outputs const& wanted, std::vector<ScenarioRuns> const& results, Trace const& trace,
                  Recording const& recording, std::string const& command) {
  Written written;
  if (!wanted.trace.empty()) written = write_file(wanted.trace, trace.as_json());
  if (written && !wanted.report.empty())
    written = write_file(
        wanted.report, as_html(results, recording.runs(), {.version = PEGASUS_VERSION, .command = command}));
  if (written && wanted.prints_csv()) return write_output(as_csv(results));
  if (written && !wanted.csv.empty()) written = write_file(wanted.csv, as_csv(results));
  if (!written) return written;
  return write_output(wanted.json ? as_json(results) : as_table(results));
}

int run(int argc, char** argv) {
  CLI::App app{"Simulates a host, its accelerators and guests under Pegasus' policies.\n"
               "Exit status: 0 done, 1 failed here, 2 bad scenario, unknown name or bad value.",
               "pegasus-sim"};
  std::string path;
  std::vector<std::string> policies;
  std::vector<std::string> settings;
  Seeds seeds;
  Outputs outputs;
  bool list = false;
  app.set_version_flag("--version", PEGASUS_VERSION, "this tool's version");
  auto* const scenario_option =
      app.add_option("scenario", path, "a built-in scenario, the first words of several, or a file (TOML)");
  app.add_flag("--list", list, "show the built-in scenarios")->excludes(scenario_option);
  app.add_option("--policy", policies,
                 "a policy and its tunables, as in \"fair slice=2ms\", or a plug-in, as in "
                 "\"./mine.so slice=2ms\"; may be repeated (default: the scenario's, else all)")
      ->allow_extra_args(false);
  app.add_option(
         "--set", settings,
         "change the scenario: KEY=VALUE, as in cpus.scheduler=credit2, duration=5s, domain.0.weight=512 "
         "(the first is 0); may be repeated")
      ->allow_extra_args(false);
  app.add_option("--seed", seeds.first, "of the random numbers; the same seed gives the same output")
      ->capture_default_str();
  app.add_option("--seeds", seeds.count,
                 "run with so many seeds, from --seed on, and print means and 95 % confidence intervals")
      ->check(CLI::Range(1, 10'000));
  app.add_flag("--json", outputs.json, "print one JSON document instead of tables");
  app.add_option(
      "--csv", outputs.csv,
      "write a row for each value of vary, policy, seed and domain; \"-\" prints it instead of tables");
  app.add_option("--trace", outputs.trace,
                 "write what ran on each pCPU and accelerator; Perfetto and chrome://tracing show it");
  app.add_option("--report", outputs.report, "write one HTML page with plots, which needs no network");
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? status_of(write_output("")) : 2;
  }
  if (list) return status_of(write_output(list_of_scenarios(std::min(terminal_columns(), list_columns))));
  if (outputs.json && outputs.prints_csv()) {
    fmt::print(stderr, "pegasus-sim: --json and --csv - both print: give --csv a file\n");
    return 2;
  }
  if (path.empty()) {
    fmt::print(stderr, "pegasus-sim: name a scenario: a file, or a built-in one (see --list)\n");
    return 2;
  }
  auto const scenarios = find_scenarios(path, settings);
  if (!scenarios) {
    fmt::print(stderr, "pegasus-sim: {}\n", scenarios.error());
    return 2;
  }
  auto const chosen = load_plugins(policies);
  if (!chosen) {
    fmt::print(stderr, "pegasus-sim: {}\n", chosen.error());
    return 2;
  }
  Trace trace;
  Recording recording;
  std::vector<RunTimeline*> wanted;
  if (!outputs.trace.empty()) wanted.push_back(&trace);
  if (!outputs.report.empty()) wanted.push_back(&recording);
  RunTimelines timelines(wanted);
  std::vector<ScenarioRuns> results;
  for (auto const& [name, scenario, text] : *scenarios) {
    auto runs = run_seeds(name, scenario, policies_for(scenario, *chosen), seeds, &timelines);
    if (!runs) {
      fmt::print(stderr, "pegasus-sim: {}\n", runs.error());
      return 2;
    }
    runs->text = text;
    results.push_back(std::move(*runs));
  }
  return status_of(
      write_all(outputs, results, trace, recording, report_command(path, policies, settings, seeds)));
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& error) {
    fmt::print(stderr, "pegasus-sim: {}\n", error.what());
    return 1;
  }
}
