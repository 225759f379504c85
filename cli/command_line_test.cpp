// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include "cli/options.h"

#include <catch2/catch.hpp>
#include <CLI/CLI.hpp>

using namespace pegasus::cli;
using namespace std::chrono_literals;

namespace {

// A program with commands, and one without.
struct Programs {
  CLI::App tool{"", "tool"};
  CLI::App daemon{"", "daemon"};
  std::string domain;
  bool wide = false, is_private = false;
  std::chrono::nanoseconds tick = 10ms, cost = 0ns, duration = 6s;
  std::vector<std::string> values = std::vector<std::string>(12);

  Programs() {
    prepare(tool);
    tool.require_subcommand(1);
    tool.fallthrough();
    tool.add_flag("--json");
    CLI::App* const domains = tool.add_subcommand("domains", "");
    domains->add_flag("--wide", wide);
    add_time(*domains, "--duration", duration, "", 1s, 10s);
    add_text(*tool.add_subcommand("set", ""), "DOMAIN", domain, "")->required();
    prepare(daemon);
    add_time(daemon, "--tick", tick, "", 1ms, 1s);
    add_time(daemon, "--cost", cost, "", 0ns, 1s);
    daemon.add_flag("--private", is_private);
    for (std::size_t i = 0; i < values.size(); ++i)
      add_text(daemon, "--value-" + std::to_string(i) + " TEXT", values[i], "");
  }
};

UsageError error_in(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);
  try {
    app.parse(words);
  } catch (CLI::ParseError const& error) {
    return usage_error(app, error);
  }
  return {};
}

} // namespace

TEST_CASE("an unknown option is named, with what is near, and the list where it is short") {
  Programs of;
  auto const wrong = error_in(of.daemon, {"--tikc=5ms"});
  CHECK(wrong.what == "there is no option \"--tikc\"; did you mean --tick?");
  CHECK(wrong.valid.empty());
  auto const command = error_in(of.tool, {"domains", "--wied"});
  CHECK(command.what == "there is no option \"--wied\"; did you mean --wide?");
  CHECK(command.valid == "The options are: --help, --wide, --duration, --version, --json.\n");
  CHECK(command.command == "domains");
  CHECK(error_in(of.daemon, {"--frobnicate"}).what == "there is no option \"--frobnicate\"");
  CHECK(error_in(of.daemon, {"-V"}).what == "there is no option \"-V\"");
}

TEST_CASE("an unknown command is named, with what is near, and all commands") {
  Programs of;
  auto const wrong = error_in(of.tool, {"domain"});
  CHECK(wrong.what == "there is no command \"domain\"; did you mean domains?");
  CHECK(wrong.valid == "The commands are: domains, set.\n");
  CHECK(error_in(of.tool, {}).what == "which command?");
  CHECK(error_in(of.tool, {"--jsn"}).what == "there is no option \"--jsn\"; did you mean --json?");
}

TEST_CASE("an option with a unit in its name is that of the time, with an example") {
  Programs of;
  for (std::string const unit : {"ms", "us", "s"}) {
    auto const wrong = error_in(of.daemon, {"--tick-" + unit, "5"});
    CHECK(wrong.what == "there is no option \"--tick-" + unit + "\"; did you mean --tick?");
    CHECK(wrong.valid == "For example: --tick 10ms\n");
  }
  CHECK(error_in(of.daemon, {std::string("--cost-") + "us", "5"}).valid == "For example: --cost 2ms\n");
  auto const seconds = error_in(of.tool, {"domains", "--seconds", "5"});
  CHECK(seconds.what == "there is no option \"--seconds\"; did you mean --duration?");
  CHECK(seconds.valid == "For example: --duration 6s\n");
}

TEST_CASE("what is missing or too much is said with the usage") {
  Programs of;
  CHECK(error_in(of.tool, {"set"}).what == "DOMAIN is missing");
  CHECK(error_in(of.tool, {"set"}).valid == "Usage: tool set [OPTION...] DOMAIN\n");
  CHECK(error_in(of.tool, {"set", "a", "b"}).what == "\"b\" is one argument too many");
  CHECK(error_in(of.daemon, {"word"}).what == "\"word\" is one argument too many");
}

TEST_CASE("a value that is missing, repeated, or too much") {
  Programs of;
  CHECK(error_in(of.daemon, {"--tick"}).what == "--tick: its value is missing: --tick TIME");
  CHECK(error_in(of.daemon, {"--tick", "1ms", "--tick", "2ms"}).what == "--tick: it is given more than once");
  CHECK(error_in(of.daemon, {"--private=maybe"}).what == "--private: it takes no value but true or false");
  CHECK(error_in(of.daemon, {"--tick", "5"}).what ==
        "--tick: \"5\" is not a time from 1ms to 1s, such as 10ms");
}

TEST_CASE("statuses: 2 after an error, 0 after --version and --help, none to go on") {
  Programs of;
  auto const status = [&](char const* word) {
    char const* const arguments[] = {"/usr/bin/other-name", word};
    return parse(of.daemon, 2, arguments);
  };
  CHECK(status("--wrong") == 2);
  CHECK(status("--version") == 0);
  CHECK(status("--help") == 0);
  CHECK_FALSE(status("--private"));
}

TEST_CASE("the version has the program's name, which is not the path that it was started by") {
  Programs of;
  try {
    char const* const arguments[] = {"/usr/bin/other-name", "--version"};
    of.daemon.parse(2, arguments);
    FAIL("it went on");
  } catch (CLI::CallForVersion const& asked) {
    CHECK(asked.what() == std::string("daemon ") + PEGASUS_VERSION);
  }
  CHECK(of.daemon.help().starts_with("Usage: daemon "));
}
