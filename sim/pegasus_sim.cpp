// SPDX-License-Identifier: Apache-2.0
// pegasus-sim: what a policy does with the programs of a scenario, in virtual time.
#include "policies/registry.h"
#include "sim/report/print.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/core.h>

namespace {

using namespace pegasus::sim;

// A built-in scenario by its name, any other by its file.
tl::expected<Scenario, std::string> find_scenario(std::string const& name) {
  for (BuiltinScenario const& builtin : builtin_scenarios())
    if (builtin.name == name) return parse_scenario(builtin.text, name + ".toml");
  auto scenario = read_scenario(name);
  if (!scenario && name.find_first_of("/.") == std::string::npos)
    return tl::unexpected(
        fmt::format("{}; it is not a built-in scenario either: see --list", scenario.error()));
  return scenario;
}

void list_scenarios() {
  for (BuiltinScenario const& builtin : builtin_scenarios())
    fmt::print("{:18} {}\n", builtin.name, parse_scenario(builtin.text, builtin.name).value().title);
}

int run(int argc, char** argv) {
  CLI::App app{"Simulates a host, its accelerators and guests under Pegasus' policies.\n"
               "Exit status: 0 done, 1 failed here, 2 bad scenario, unknown name or bad value.",
               "pegasus-sim"};
  std::string path;
  std::vector<std::string> policies;
  std::uint64_t seed = 1;
  bool json = false;
  bool list = false;
  app.set_version_flag("--version", PEGASUS_VERSION, "this tool's version");
  auto* const scenario_option = app.add_option("scenario", path, "a built-in scenario, or a file (TOML)");
  app.add_flag("--list", list, "show the built-in scenarios")->excludes(scenario_option);
  app.add_option("--policy", policies,
                 "a policy and its tunables, as in \"fair slice=2ms\"; may be repeated "
                 "(default: the scenario's, else all)")
      ->allow_extra_args(false);
  app.add_option("--seed", seed, "of the random numbers; the same seed gives the same output")
      ->capture_default_str();
  app.add_flag("--json", json, "print one JSON document instead of tables");
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (list) {
    list_scenarios();
    return 0;
  }
  if (path.empty()) {
    fmt::print(stderr, "pegasus-sim: name a scenario: a file, or a built-in one (see --list)\n");
    return 2;
  }
  auto const scenario = find_scenario(path);
  if (!scenario) {
    fmt::print(stderr, "pegasus-sim: {}\n", scenario.error());
    return 2;
  }
  if (policies.empty()) policies = scenario->policies;
  if (policies.empty())
    for (pegasus::policies::Entry const& entry : pegasus::policies::registry())
      policies.emplace_back(entry.name);
  auto const runs = run_policies(*scenario, policies, seed);
  if (!runs) {
    fmt::print(stderr, "pegasus-sim: {}\n", runs.error());
    return 2;
  }
  fmt::print("{}", json ? as_json(*scenario, *runs) : as_table(*scenario, *runs));
  return 0;
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
