// SPDX-License-Identifier: Apache-2.0
// pegasusctl: shows and changes what a running pegasusd does.
#include "cli/command_line.h"
#include "cli/options.h"
#include "ctl/commands/command.h"
#include "ctl/exit.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/core.h>

namespace {

using namespace pegasus::ctl;
namespace cli = pegasus::cli;

int run(int argc, char** argv) {
  CLI::App app{"Shows and changes what a running pegasusd does.\n"
               "Exit status: 0 done, 1 failed here, 2 unknown name or bad value, 3 no usable daemon, "
               "4 refused in the current state, or pegasusd failed.",
               "pegasusctl"};
  cli::prepare(app);
  CommandContext context;
  cli::add_text(app, "--daemon PATH", context.daemon,
                "the daemon's directory or control socket (default: $PEGASUS_CONTROL, else the first of "
                "$XDG_RUNTIME_DIR/pegasus and /run/pegasus with a daemon)");
  app.add_flag("--json", context.json, "print one JSON document instead of a table");
  app.fallthrough(); // the options above may also follow the command
  app.require_subcommand(1);
  for (auto const add : {add_policies_command, add_policy_command, add_domains_command, add_set_command,
                         add_remove_command, add_attach_command, add_detach_command, add_accelerators_command,
                         add_top_command, add_log_command, add_record_command, add_describe_command,
                         add_freeze_command, add_thaw_command, add_reset_command, add_version_command})
    add(app, context);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  return context.result ? 0 : report_failure(app, context.result.error());
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& error) {
    fmt::print(stderr, "pegasusctl: {}\n", error.what());
    return 1;
  }
}
