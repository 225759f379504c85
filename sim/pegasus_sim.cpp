// SPDX-License-Identifier: Apache-2.0
// pegasus-sim: what a policy does with the programs of a scenario, in virtual time.
#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/terminal.h"
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
#include <limits>
#include <map>

namespace {

using namespace pegasus::sim;
namespace cli = pegasus::cli;

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
std::vector<std::string> policies_for(Scenario const& scenario, std::vector<std::string> const& named) {
  std::vector<std::string> policies = named.empty() ? scenario.policies : named;
  if (policies.empty())
    for (pegasus::policies::Entry const& entry : pegasus::policies::registry())
      policies.emplace_back(entry.name);
  if (scenario.recorded && std::ranges::find(policies, scenario.recorded->policy) == policies.end())
    policies.insert(policies.begin(), scenario.recorded->policy);
  return policies;
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

Written write_all(Outputs const& outputs, std::vector<ScenarioRuns> const& results, Trace const& trace,
                  Recording const& recording, std::string const& command) {
  Written written;
  if (!outputs.trace.empty()) written = write_file(outputs.trace, trace.as_json());
  if (written && !outputs.report.empty())
    written = write_file(
        outputs.report, as_html(results, recording.runs(), {.version = PEGASUS_VERSION, .command = command}));
  if (written && outputs.prints_csv()) return write_output(as_csv(results));
  if (written && !outputs.csv.empty()) written = write_file(outputs.csv, as_csv(results));
  if (!written) return written;
  return write_output(outputs.json ? as_json(results) : as_table(results));
}

// What the operator wants.
struct Arguments {
  std::string scenario;
  std::vector<std::string> policies;
  std::vector<std::string> settings;
  Seeds seeds;
  Outputs outputs;
  bool list = false;

  void add_to(CLI::App& app) {
    cli::add_text(app, "SCENARIO", scenario,
                  "a built-in scenario, the first words of several, or a file (TOML)");
    app.add_flag("--list", list, "show the built-in scenarios");
    cli::add_texts(app, "--policy POLICY", policies,
                   "a policy and its tunables, as in \"fair slice=2ms\", or a plug-in, as in "
                   "\"./mine.so slice=2ms\"; may be repeated (default: the scenario's, else all)");
    cli::add_texts(app, "--set KEY=VALUE", settings,
                   "change the scenario, as in cpus.scheduler=credit2, duration=5s, domain.0.weight=512 "
                   "(the first is 0); may be repeated");
    cli::add_number(app, "--seed NUMBER", seeds.first,
                    "of the random numbers; the same seed gives the same output", 0,
                    std::numeric_limits<std::uint64_t>::max());
    cli::add_number(app, "--seeds COUNT", seeds.count,
                    "run with so many seeds, from --seed on, and print means and 95 % confidence intervals",
                    1, 10'000)
        ->default_str("");
    app.add_flag("--json", outputs.json, "print one JSON document instead of tables");
    cli::add_text(
        app, "--csv FILE", outputs.csv,
        "write a row for each value of vary, policy, seed and domain; \"-\" prints it instead of tables");
    cli::add_text(app, "--trace FILE", outputs.trace,
                  "write what ran on each pCPU and accelerator; Perfetto and chrome://tracing show it");
    cli::add_text(app, "--report FILE", outputs.report,
                  "write one HTML page with plots, which needs no network");
  }

  // What does not fit together; empty: all does.
  [[nodiscard]] std::string contradiction() const {
    if (list) return scenario.empty() ? "" : "--list takes no scenario";
    if (outputs.json && outputs.prints_csv()) return "--json and --csv - both print: give --csv a file";
    return scenario.empty() ? "name a scenario: a file, or a built-in one (see --list)" : "";
  }
};

// The names in the operator's words cannot be used: the exit status.
int refused(std::string const& why) {
  fmt::print(stderr, "pegasus-sim: {}\n", why);
  return 2;
}

int simulate(Arguments const& arguments) {
  auto const scenarios = find_scenarios(arguments.scenario, arguments.settings);
  if (!scenarios) return refused(scenarios.error());
  auto const chosen = load_plugins(arguments.policies);
  if (!chosen) return refused(chosen.error());
  Trace trace;
  Recording recording;
  std::vector<RunTimeline*> watching;
  if (!arguments.outputs.trace.empty()) watching.push_back(&trace);
  if (!arguments.outputs.report.empty()) watching.push_back(&recording);
  RunTimelines timelines(watching);
  std::vector<ScenarioRuns> results;
  for (auto const& [name, scenario, text] : *scenarios) {
    auto runs = run_seeds(name, scenario, policies_for(scenario, *chosen), arguments.seeds, &timelines);
    if (!runs) return refused(runs.error());
    runs->text = text;
    results.push_back(std::move(*runs));
  }
  return status_of(
      write_all(arguments.outputs, results, trace, recording,
                report_command(arguments.scenario, arguments.policies, arguments.settings, arguments.seeds)));
}

int run(int argc, char** argv) {
  CLI::App app{"Simulates a host, its accelerators and guests under Pegasus' policies.\n"
               "Exit status: 0 done, 1 failed here, 2 bad scenario, unknown name or bad value.",
               "pegasus-sim"};
  cli::prepare(app);
  Arguments arguments;
  arguments.add_to(app);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  if (auto const wrong = arguments.contradiction(); !wrong.empty()) return cli::report(app, {.what = wrong});
  if (!arguments.list) return simulate(arguments);
  std::size_t const columns = cli::terminal_columns().value_or(0);
  return status_of(write_output(list_of_scenarios(std::min(columns, list_columns))));
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
