// SPDX-License-Identifier: Apache-2.0
#include "ctl/cli.h"

#include "ctl/text/printable.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

std::string names_of_commands(CLI::App const& app) {
  std::string names;
  for (CLI::App const* const command : app.get_subcommands(nullptr))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return names;
}

// The options of the command that was being parsed when the error occurred, or of the whole tool.
CLI::App const& command_read(CLI::App const& app) {
  auto const chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.back();
}

std::string names_of_options(CLI::App const& app) {
  std::string names;
  for (CLI::Option const* const option : app.get_options())
    names += (names.empty() ? "" : ", ") + option->get_name(option->get_positional());
  return names;
}

// CLI11 says "a subcommand is required" when the command is unknown.
std::string what_is_wrong(CLI::App const& app, CLI::ParseError const& error) {
  if (!app.get_subcommands().empty()) return error.what();
  auto const unknown = app.remaining();
  if (unknown.empty())
    return dynamic_cast<CLI::RequiredError const*>(&error) ? "which command?" : error.what();
  bool const option = unknown.front().starts_with('-');
  return fmt::format("there is no {} \"{}\"", option ? "option" : "command", unknown.front());
}

void explain(CLI::App const& app, CLI::ParseError const& error) {
  CLI::App const& command = command_read(app);
  fmt::print(stderr, "{}: {}\n", app.get_name(), printable(what_is_wrong(app, error)));
  if (&command == &app)
    fmt::print(stderr, "The commands are: {}. The options are: {}.\n", names_of_commands(app),
               names_of_options(app));
  else
    fmt::print(stderr, "{} {} takes: {}. Before any command: {}.\n", app.get_name(), command.get_name(),
               names_of_options(command), names_of_options(app));
  fmt::print(stderr, "`{}{} --help` says more.\n", app.get_name(),
             &command == &app ? "" : " " + command.get_name());
}

} // namespace

std::optional<int> parse_command_line(CLI::App& app, int argc, char const* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error); // --help, --version
    explain(app, error);
    return 2;
  }
  return std::nullopt;
}

int report_failure(CLI::App const& app, Failure const& failure) {
  if (failure.kind == FailureKind::signalled) end_by_signal(failure.signal);
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", app.get_name(), failure.message);
  return failure.exit_status();
}

void end_by_signal(int signal) {
  rlimit const none{0, 0};
  setrlimit(RLIMIT_CORE, &none); // a useful core is that of the program, not ours
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal); // for a signal that is ignored by default
}

} // namespace pegasus::ctl
