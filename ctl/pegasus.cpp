// SPDX-License-Identifier: Apache-2.0
// pegasus: runs CUDA programs as guests of a pegasusd (`pegasus run`), says before that what of one will not work
// (`pegasus doctor`), and shows what scheduling does (`pegasus demo`).
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/words.h"
#include "control/settings.h"
#include "ctl/commands/set.h"
#include "ctl/demo/demo.h"
#include "ctl/demo/scenario.h"
#include "ctl/doctor/doctor.h"
#include "ctl/exit.h"
#include "ctl/run/run.h"

#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <optional>
#include <string_view>

namespace {

using namespace pegasus::ctl;
namespace cli = pegasus::cli;
namespace control = pegasus::control;

// What is wrong with the list.
std::string read_policies(std::string const& list, DemoOptions& demo) {
  demo.policies = split_policies(list);
  bool const empty = std::ranges::find(demo.policies, "") != demo.policies.end();
  return empty ? "an empty name; write for example none,accc" : "";
}

// Adds an option for each setting of a domain.
void add_setting_options(CLI::App& command, RunOptions& run) {
  for (control::Setting const& setting : control::all_settings()) {
    if (setting.key == "accelerator") continue; // that option belongs to the private daemon
    auto const read = [&run, key = setting.key](std::string const& text) {
      std::string word = fmt::format("{}={}", key, text);
      auto const checked = check_settings({word});
      if (checked) run.settings.push_back(std::move(word));
      return checked ? std::string() : checked.error().message;
    };
    cli::add_read(command, fmt::format("--{} {}", setting.key, setting.value_name),
                  fmt::format("of the domain: {}", setting.valid), read);
  }
}

void add_run_command(CLI::App& app, RunOptions& run) {
  CLI::App* const command = app.add_subcommand("run", "run PROGRAM as a guest");
  command->footer(
      "Joins the running pegasusd; where there is none, starts a private one and stops it at the end.\n"
      "Exit status: the program's; 125 when Pegasus cannot run it, 126 when it is not executable, 127 when "
      "there is no such program, 2 for bad usage.");
  cli::add_text(*command, "--domain NAME", run.domain,
                "the domain it runs in (default: $PEGASUS_DOMAIN, else the program's name)");
  add_setting_options(*command, run);
  cli::add_text(*command, "--daemon PATH", run.daemon,
                "the daemon's directory or control socket (default: $PEGASUS_CONTROL, else the first of "
                "$XDG_RUNTIME_DIR/pegasus and /run/pegasus with a daemon)");
  command->add_flag("--private", run.private_daemon, "start a private daemon though one is running");
  cli::add_text(*command, "--policy POLICY", run.of_private.policy, "the private daemon's scheduling policy");
  cli::add_texts(*command, "--policy-plugin FILE", run.of_private.policy_plugins,
                 "as for pegasusd: the private daemon loads a policy from this file");
  cli::add_text(*command, "--accelerator KIND", run.of_private.accelerator,
                "the private daemon's accelerator, as for pegasusd: auto, cuda or software");
  cli::add_text(*command, "--compute-capability X.Y", run.of_private.compute_capability,
                "of the private daemon's software accelerator, as for pegasusd");
  command->prefix_command(); // from the first word that is not an option on, all words belong to the program
}

void add_doctor_command(CLI::App& app, DoctorOptions& doctor) {
  CLI::App* const command =
      app.add_subcommand("doctor", "say what of PROGRAM will not work under `pegasus run`, and what to do");
  command->footer("Reads the files of a program, of the libraries that it is linked with, and of a Python "
                  "interpreter's packages: it "
                  "starts nothing, and needs no GPU and no daemon. PROGRAM may be the directory of a Python "
                  "environment.\n"
                  "Exit status: 0 when nothing stands in the way, 1 when something of it will not work, 125 "
                  "when it cannot run, 126, "
                  "127 and 2 as of `pegasus run`.");
  command->add_flag("--json", doctor.json, "print one JSON document");
  command->add_flag("--verbose", doctor.verbose,
                    "a line for each kernel that will not run, not for each reason");
  cli::add_time(*command, "--time", doctor.time,
                "how long to translate kernels; those that are left are counted", std::chrono::seconds(1),
                std::chrono::hours(1));
  command->prefix_command();
}

void add_demo_command(CLI::App& app, DemoOptions& demo) {
  CLI::App* const command =
      app.add_subcommand("demo", "four domains under several policies: how much each gets");
  command->footer("Exit status: 0 when every program verified its results.");
  command->add_flag("--mixed", demo.mixed,
                    "one domain's kernels are twenty times as long as its neighbours'");
  cli::add_time(*command, "--duration", demo.duration, "how long to measure under each policy",
                std::chrono::milliseconds(500), std::chrono::minutes(10));
  command->add_flag("--json", demo.json, "print one JSON document instead of tables");
  std::string const usual = cli::joined(demo.policies, ",");
  cli::add_read(*command, "--policies POLICY,...",
                "the policies to compare, separated by commas; each as NAME[:TUNABLE=VALUE]",
                [&demo](std::string const& list) { return read_policies(list, demo); })
      ->default_str(usual);
  cli::add_text(*command, "--accelerator KIND", demo.accelerator, "as for pegasusd: auto, cuda or software");
}

// `dashed`: "--" and the words behind it, if present. The program is the first word that is not an option of
// ours, or the first word behind "--".
std::optional<cli::UsageError> complete(std::vector<std::string>& words, CLI::App const& app,
                                        char const* name, char const* nothing,
                                        std::vector<std::string> const& dashed) {
  CLI::App const& command = *app.get_subcommand(name);
  words = command.remaining();
  if (!words.empty() && words.front().starts_with('-')) return cli::unknown_word(app, command, words.front());
  bool const dashes_are_ours = words.empty() && !dashed.empty();
  words.insert(words.end(), dashed.begin() + (dashes_are_ours ? 1 : 0), dashed.end());
  if (words.empty())
    return cli::UsageError{.what = nothing,
                           .valid = cli::usage_of(command, fmt::format("pegasus {}", name)) + "\n",
                           .command = name};
  return std::nullopt;
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
  cli::prepare(app);
  app.require_subcommand(1);
  RunOptions run;
  DoctorOptions doctor;
  DemoOptions demo;
  add_run_command(app, run);
  add_doctor_command(app, doctor);
  add_demo_command(app, demo);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  if (app.got_subcommand("run")) {
    auto const wrong = complete(run.command, app, "run", "there is nothing to run", dashed);
    return wrong ? cli::report(app, *wrong) : run_program(run);
  }
  if (app.got_subcommand("doctor")) {
    auto const wrong = complete(doctor.command, app, "doctor", "there is nothing to look at", dashed);
    return wrong ? cli::report(app, *wrong) : diagnose_program(doctor);
  }
  if (!dashed.empty()) return cli::report(app, {.what = "demo takes nothing after --", .command = "demo"});
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
