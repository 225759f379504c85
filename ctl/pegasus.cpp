// SPDX-License-Identifier: Apache-2.0
// pegasus: runs CUDA programs as guests of a pegasusd (`pegasus run`), and shows what scheduling does
// (`pegasus demo`).
#include "ctl/cli.h"
#include "ctl/demo/demo.h"
#include "ctl/demo/scenario.h"
#include "ctl/run/run.h"
#include "ctl/text/printable.h"
#include "ctl/text/size.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <memory>
#include <string_view>

namespace {

using namespace pegasus::ctl;

// Everything that CLI11 reads as text and we as a value; the error is CLI11's to show.
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

struct RunArguments {
  RunOptions options;
  std::string credits;
  std::string memory;
};

Result<std::uint64_t> parse_credits(std::string const& text) {
  return parse_whole("credits", text, 1, 65535);
}

void add_run_command(CLI::App& app, RunArguments& run) {
  CLI::App* const command =
      app.add_subcommand("run", "run PROGRAM as a guest: pegasus run [OPTIONS] -- PROGRAM [ARGUMENTS]");
  command->footer(
      "Joins the running pegasusd; where there is none, starts a private one and stops it at the end.\n"
      "Exit status: the program's; 125 when Pegasus cannot run it, 126 when it is not executable, 127 when\n"
      "there is no such program, 2 for bad usage.");
  command->add_option("--domain", run.options.domain,
                      "the domain it runs in (default: $PEGASUS_DOMAIN, else the program's name)");
  command
      ->add_option("--credits", run.credits, "the domain's credits, 1 to 65535: its share of the accelerator")
      ->check(checked(parse_credits, "1..65535"));
  command->add_option("--memory", run.memory, "the domain's limit of accelerator memory: 64M, 1G; 0: none")
      ->check(checked([](std::string const& text) { return parse_size(text); }, "SIZE"));
  command->add_option(
      "--daemon", run.options.daemon,
      "the daemon's directory or control socket (default: $PEGASUS_CONTROL, else the first of "
      "$XDG_RUNTIME_DIR/pegasus and /run/pegasus with a daemon)");
  command->add_flag("--private", run.options.private_daemon, "start a private daemon though one is running");
  command->add_option("--policy", run.options.policy, "the private daemon's scheduling policy");
  command
      ->add_option("--accelerator", run.options.accelerator,
                   "the private daemon's accelerator: auto, cuda or software")
      ->check(CLI::IsMember({"auto", "cuda", "software"}));
  command->prefix_command(); // from the first word that is no option on, everything is the program's
}

void add_demo_command(CLI::App& app, DemoOptions& demo) {
  CLI::App* const command =
      app.add_subcommand("demo", "four domains under several policies: who gets how much");
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
          "the policies to compare, separated by commas")
      ->check(checked(check_policies, ""))
      ->default_str("none,accc");
  command->add_option("--accelerator", demo.accelerator, "auto, cuda or software")
      ->check(CLI::IsMember({"auto", "cuda", "software"}));
}

// `dashed`: "--" and what followed it, if it was there. The program is the first word that is no option of
// ours, or what follows "--".
Result<void> complete(RunArguments& run, CLI::App const& command, std::vector<std::string> const& dashed) {
  std::vector<std::string>& words = run.options.command;
  words = command.remaining();
  if (!words.empty() && words.front().starts_with('-'))
    return fail(FailureKind::usage,
                fmt::format("\"{}\" is no option of pegasus run; `pegasus run --help` lists them",
                            printable(words.front())));
  bool const dashes_are_ours = words.empty() && !dashed.empty();
  words.insert(words.end(), dashed.begin() + (dashes_are_ours ? 1 : 0), dashed.end());
  if (words.empty())
    return fail(FailureKind::usage,
                "there is nothing to run: pegasus run [OPTIONS] -- PROGRAM [ARGUMENTS]; `pegasus run "
                "--help` says more");
  if (!run.credits.empty())
    run.options.credits = static_cast<std::uint32_t>(parse_credits(run.credits).value_or(0));
  if (!run.memory.empty()) run.options.memory_bytes = parse_size(run.memory).value_or(0);
  return {};
}

// What follows the first "--" is never ours to read.
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
  RunArguments run_arguments;
  DemoOptions demo;
  add_run_command(app, run_arguments);
  add_demo_command(app, demo);
  if (auto const status = parse_command_line(app, argc, argv)) return *status;
  if (app.got_subcommand("run")) {
    auto const completed = complete(run_arguments, *app.get_subcommand("run"), dashed);
    return completed ? run_program(run_arguments.options) : report_failure(app, completed.error());
  }
  if (!dashed.empty()) return report_failure(app, {FailureKind::usage, "demo takes nothing after --"});
  auto const verified = run_demo(demo);
  if (!verified) return report_failure(app, verified.error());
  return *verified ? 0 : 1;
}

// A descriptor that we open must not become some child's standard output.
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
