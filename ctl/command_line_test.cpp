// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"
#include "ctl/commands/command.h"

#include <catch2/catch.hpp>
#include <CLI/CLI.hpp>
#include <vector>

using namespace pegasus;
using namespace pegasus::ctl;

namespace {

// The tool's command line, up to the request to a daemon that does not exist.
struct Tool {
  CLI::App app{"test", "pegasusctl"};
  CommandContext context;

  Tool() {
    cli::prepare(app);
    app.add_option("--daemon", context.daemon);
    app.add_flag("--json", context.json);
    app.fallthrough();
    app.require_subcommand(1);
    for (auto const add :
         {add_policies_command, add_policy_command, add_domains_command, add_set_command,
          add_accelerators_command, add_top_command, add_log_command, add_record_command,
          add_describe_command, add_freeze_command, add_thaw_command, add_reset_command, add_version_command})
      add(app, context);
  }

  int run(std::vector<char const*> arguments) {
    arguments.insert(arguments.begin(), "pegasusctl");
    if (auto const status = cli::parse(app, static_cast<int>(arguments.size()), arguments.data()))
      return *status;
    return context.result ? 0 : context.result.error().exit_status();
  }
};

int run(std::vector<char const*> const& arguments) { return Tool().run(arguments); }

} // namespace

TEST_CASE("bad usage ends with 2, before any daemon is asked") {
  CHECK(run({}) == 2);
  CHECK(run({"nonsense"}) == 2);
  CHECK(run({"domains", "extra"}) == 2);
  CHECK(run({"--nonsense", "domains"}) == 2);
  CHECK(run({"set"}) == 2);
  CHECK(run({"log", "-n", "-1"}) == 2);
  CHECK(run({"log", "-n", "4294967296"}) == 2);
  CHECK(run({"top", "--interval", "0"}) == 2);
  CHECK(run({"top", "--count", "x"}) == 2);
  CHECK(run({"record"}) == 2);
  CHECK(run({"--daemon", "/nowhere/", "record", "x.toml", "--duration", "0.5s"}) == 2);
  CHECK(run({"--daemon", "/nowhere/", "record", "x.toml", "--duration", "1801s"}) == 2);
  CHECK(run({"--daemon", "/nowhere/", "set", "dom1"}) == 2);
  CHECK(run({"--daemon", "/nowhere/", "set", "dom1", "credits=0"}) == 2);
  CHECK(run({"--daemon", "/nowhere/", "set", "dom1", "memory=99999999999G"}) == 2);
  CHECK(run({"--daemon", "/nowhere/", "set", "dom1", "weight=3"}) == 2);
}

TEST_CASE("without a daemon every command ends with 3") {
  for (std::vector<char const*> const& command :
       std::vector<std::vector<char const*>>{{"policies"},
                                             {"policy"},
                                             {"policy", "accc"},
                                             {"domains"},
                                             {"set", "d", "credits=1"},
                                             {"accelerators"},
                                             {"top"},
                                             {"log"},
                                             {"record", "x.toml"},
                                             {"log", "-n", "5"},
                                             {"version"}}) {
    std::vector<char const*> arguments = command;
    arguments.insert(arguments.end(), {"--daemon", "/nowhere/", "--json"}); // options may follow the command
    CHECK(run(arguments) == 3);
  }
}
