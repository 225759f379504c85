// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include "cli/help.h"

#include <cerrno>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <memory>

namespace pegasus::cli {

void prepare(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", app.get_name() + " " + PEGASUS_VERSION, "print this program's version");
}

std::optional<int> parse(CLI::App& app, int argc, char const* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& asked) {
    return answer(app, asked);
  } catch (CLI::ParseError const& error) {
    return report(app, usage_error(app, error));
  }
  return std::nullopt;
}

int answer(CLI::App const& app, CLI::Success const& asked) {
  bool const version = dynamic_cast<CLI::CallForVersion const*>(&asked) != nullptr;
  std::string const text = version ? std::string(asked.what()) + "\n" : app.help();
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::fprintf(stderr, "%s: cannot write to standard output: %s\n", app.get_name().c_str(),
               std::strerror(errno));
  return 1;
}

} // namespace pegasus::cli
