// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/printable.h"

#include <catch2/catch.hpp>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <sstream>

using namespace pegasus::cli;
using namespace std::chrono_literals;

namespace {

struct Program {
  CLI::App app{"Shows what is there, and what is not there yet.", "program"};
  std::chrono::nanoseconds tick = 10ms;
  std::optional<std::string> daemon;
  std::string domain;
  std::vector<std::string> settings;
  bool xen = true;

  Program() {
    prepare(app);
    add_time(app, "--tick", tick, "the scheduling tick, of which there are many in a second", 1ms, 1s);
    add_text(app, "--daemon PATH", daemon,
             "the first of $XDG_RUNTIME_DIR/pegasus and /run/pegasus with a daemon");
    app.add_flag("!--no-xen", xen, "serve local domains only");
    CLI::App* const set = app.add_subcommand("set", "change a domain's settings");
    add_text(*set, "DOMAIN", domain, "the domain's name")->required();
    add_texts(*set, "SETTING", settings, "what to set");
  }

  std::string help(char const* columns, CLI::App const& of) {
    setenv("COLUMNS", columns, 1);
    std::string const text = of.help();
    unsetenv("COLUMNS");
    return text;
  }
};

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

} // namespace

TEST_CASE("help has names, a word for the value, what it does, and the default") {
  Program program;
  CHECK(
      program.help("100", program.app) ==
      "Usage: program [OPTION...] COMMAND\n"
      "Shows what is there, and what is not there yet.\n"
      "\n"
      "Commands:\n"
      "  set  change a domain's settings\n"
      "\n"
      "Options:\n"
      "  -h, --help     print this help\n"
      "  --version      print this program's version\n"
      "  --tick TIME    the scheduling tick, of which there are many in a second; 1ms to 1s (default: 10ms)\n"
      "  --daemon PATH  the first of $XDG_RUNTIME_DIR/pegasus and /run/pegasus with a daemon\n"
      "  --no-xen       serve local domains only\n");
}

TEST_CASE("arguments are in the usage, in brackets where they may be missing") {
  Program program;
  std::string const help = program.help("80", *program.app.get_subcommand("set"));
  CHECK(help.starts_with("Usage: set [OPTION...] DOMAIN [SETTING...]\n"));
  CHECK(help.find("\nArguments:\n  DOMAIN      the domain's name\n  SETTING...  what to set\n") !=
        std::string::npos);
}

TEST_CASE("at every width the words are the same, whole, and within the lines") {
  Program program;
  std::string const widest = without_blanks(program.help("100", program.app));
  for (unsigned width = 60; width <= 100; ++width) {
    std::string const help = program.help(std::to_string(width).c_str(), program.app);
    CHECK(without_blanks(help) == widest);
    CHECK(help.find("$XDG_RUNTIME_DIR/pegasus") != std::string::npos);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
      CHECK(display_width(line) <= width);
  }
}
