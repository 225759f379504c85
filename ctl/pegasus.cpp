// SPDX-License-Identifier: Apache-2.0
// pegasus: runs CUDA programs as guests of a pegasusd (`pegasus run`), and shows what scheduling
// does (`pegasus demo`).
#include "control/settings.h"
#include "ctl/cli.h"
#include "ctl/commands/set.h"
#include "ctl/demo/demo.h"
#include "ctl/demo/scenario.h"
#include "ctl/run/run.h"
#include "ctl/text/printable.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <memory>
#include <string_view>

namespace {

using namespace pegasus::ctl;
namespace control = pegasus::control;

// A validator for options that CLI11 reads as text and we parse; CLI11 shows the error.
template <class Parse> CLI::Validator checked(Parse parse, std::string const& description) {
  return CLI::Validator(
      [parse](std::string& text) {
        auto const value = parse(text);
        return value ? std::string() : value.error().message;
      },
      description);
}

Result<void> check_policies(std::string const& list) {
  for (std::string const& name : split_policies(list))
    if (name.empty()) return fail(FailureKind::usage, "an empty name; write for example none,accc");
  return {};
}

// Adds an option for each setting of a domain.
void add_setting_options(CLI::App& command, RunOptions& run) {
  for (control::Setting const& setting : control::all_settings()) {
    if (setting.key == "accelerator") continue; // that option belongs to the private daemon
    auto const word = [key = setting.key](std::string const& text) {
      return fmt::format("{}={}", key, text);
    };
    command
        .add_option_function<std::string>(
            fmt::format("--{}", setting.key),
            [&run, word](std::string const& text) { run.settings.push_back(word(text)); },
            fmt::format("of the domain: {}", setting.valid))
        ->check(checked([word](std::string const& text) { return check_settings({word(text)}); },
                        std::string(setting.value_name)));
  }
}

void add_run_command(CLI::App& app, RunOptions& run) {
  CLI::App* const command =
      app.add_subcommand("run", "run PROGRAM as a guest: pegasus run [OPTIONS] -- PROGRAM [ARGUMENTS]");
  command->footer(
      "Joins the running pegasusd; where there is none, starts a private one and stops it at the end.\n"
      "Exit status: the program's; 125 when Pegasus cannot run it, 126 when it is not executable, 127 when\n"
      "there is no such program, 2 for bad usage.");
  command->add_option("--domain", run.domain,
                      "the domain it runs in (default: $PEGASUS_DOMAIN, else the program's name)");
  add_setting_options(*command, run);
  command->add_option(
      "--daemon", run.daemon,
      "the daemon's directory or control socket (default: $PEGASUS_CONTROL, else the first of "
      "$XDG_RUNTIME_DIR/pegasus and /run/pegasus with a daemon)");
  command->add_flag("--private", run.private_daemon, "start a private daemon though one is running");
  command->add_option("--policy", run.policy, "the private daemon's scheduling policy");
  command
      ->add_option("--policy-plugin", run.policy_plugins,
                   "as for pegasusd: the private daemon loads a policy from this file")
      ->allow_extra_args(false);
  command->add_option("--accelerator", run.accelerator,
                      "the private daemon's accelerator, as for pegasusd: auto, cuda or software");
  command->prefix_command(); // from the first word that is not an option on, all words belong to the program
}

void add_demo_command(CLI::App& app, DemoOptions& demo) {
  CLI::App* const command =
      app.add_subcommand("demo", "four domains under several policies: how much each gets");
  command->footer("Exit status: 0 when every program verified its results.");
  command->add_flag("--mixed", demo.mixed,
                    "one domain's kernels are twenty times as long as its neighbours'");
  command->add_option("--seconds", demo.seconds, "how long to measure under each policy")
      ->check(CLI::Range(0.5, 600.0))
      ->capture_default_str();
  command->add_flag("--json", demo.json, "print one JSON document instead of tables");
  command
      ->add_option_function<std::string>(
          "--policies", [&demo](std::string const& list) { demo.policies = split_policies(list); },
          "the policies to compare, separated by commas; each as NAME[:TUNABLE=VALUE]")
      ->check(checked(check_policies, ""))
      ->default_str("none,eevdf:hold=auto");
  command->add_option("--accelerator", demo.accelerator, "as for pegasusd: auto, cuda or software");
}

// `dashed`: "--" and the words behind it, if present. The program is the first word that is not an option of
// ours, or the first word behind "--".
Result<void> complete(RunOptions& run, CLI::App const& command, std::vector<std::string> const& dashed) {
  std::vector<std::string>& words = run.command;
  words = command.remaining();
  if (!words.empty() && words.front().starts_with('-'))
    return fail(FailureKind::usage,
                fmt::format("\"{}\" is not an option of pegasus run; `pegasus run --help` lists them",
                            printable(words.front())));
  bool const dashes_are_ours = words.empty() && !dashed.empty();
  words.insert(words.end(), dashed.begin() + (dashes_are_ours ? 1 : 0), dashed.end());
  if (words.empty())
    return fail(FailureKind::usage,
                "there is nothing to run: pegasus run [OPTIONS] -- PROGRAM [ARGUMENTS]; `pegasus run "
                "--help` says more");
  return {};
}

// We do not parse what follows the first "--".
std::vector<std::string> cut_at_dashes(int& argc, char** argv) {
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return {};
  argc = static_cast<int>(dashes - argv);
  return {dashes, end};
}

int run_tool(int argc, char** argv) {
  std::vector<std::string> const dashed = cut_at_dashes(argc, argv);
  CLI::App app{"Runs CUDA programs on a shared, scheduled accelerator.", "pegasus"};
  app.set_version_flag("--version", PEGASUS_VERSION, "this tool's version");
  app.require_subcommand(1);
  RunOptions run;
  DemoOptions demo;
  add_run_command(app, run);
  add_demo_command(app, demo);
  if (auto const status = parse_command_line(app, argc, argv)) return *status;
  if (app.got_subcommand("run")) {
    auto const completed = complete(run, *app.get_subcommand("run"), dashed);
    return completed ? run_program(run) : report_failure(app, completed.error());
  }
  if (!dashed.empty()) return report_failure(app, {FailureKind::usage, "demo takes nothing after --"});
  auto const verified = run_demo(demo);
  if (!verified) return report_failure(app, verified.error());
  return *verified ? 0 : 1;
}

// A descriptor that we open must not become a child's standard output.
void open_standard_descriptors() {
  int fd = 0;
  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

} // namespace

int main(int argc, char** argv) {
  try {
    open_standard_descriptors();
    return run_tool(argc, argv);
  } catch (std::exception const& error) {
    fmt::print(stderr, "pegasus: {}\n", error.what());
    return status_cannot_run;
  }
}
