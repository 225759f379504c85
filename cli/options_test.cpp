// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <catch2/catch.hpp>
#include <CLI/CLI.hpp>

using namespace pegasus::cli;
using namespace std::chrono_literals;

namespace {

// What CLI11 says of the words; empty: they were read.
std::string error_of(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);
  try {
    app.parse(words);
  } catch (CLI::ParseError const& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("a time has a unit, bounds, and a default that is printed as it is typed") {
  CLI::App app{"", "test"};
  std::chrono::nanoseconds tick = 10ms;
  CLI::Option const* const option = add_time(app, "--tick", tick, "the scheduling tick", 1ms, 1s);
  CHECK(option->get_default_str() == "10ms");
  CHECK(option->get_option_text() == "TIME");
  CHECK(option->get_description() == "the scheduling tick; 1ms to 1s");
  CHECK(error_of(app, {}).empty());
  CHECK(tick == 10ms);
  for (auto const& [text, time] :
       {std::pair{"1ms", std::chrono::nanoseconds(1ms)}, {"2.5ms", 2500us}, {"1s", 1s}}) {
    CHECK(error_of(app, {"--tick", text}).empty());
    CHECK(tick == time);
  }
  for (std::string const text : {"5", "0", "999us", "1.1s", "soon", "-1ms", ""})
    CHECK(error_of(app, {"--tick", text}) ==
          "--tick: \"" + text + "\" is not a time from 1ms to 1s, such as 10ms");
  CHECK(tick == 1s);
}

TEST_CASE("a time may be 0, which is no example of one") {
  CLI::App app{"", "test"};
  std::chrono::microseconds cost{0};
  CLI::Option const* const option = add_time(app, "--cost", cost, "of a change", 0s, 100ms);
  CHECK(option->get_default_str() == "0");
  CHECK(error_of(app, {"--cost", "1"}) == "--cost: \"1\" is not a time up to 100ms, such as 2ms");
  CHECK(error_of(app, {"--cost", "1.5ms"}).empty());
  CHECK(cost == 1500us);
  CHECK(error_of(app, {"--cost", "0"}).empty());
  CHECK(cost == 0us);
}

TEST_CASE("a size has bounds, and a default only if there is one") {
  CLI::App app{"", "test"};
  std::optional<std::uint64_t> memory;
  std::uint64_t buffer = 64 << 20;
  CHECK(add_size(app, "--memory", memory, "of it", 16 << 20, std::uint64_t{1} << 40)
            ->get_default_str()
            .empty());
  CLI::Option const* const option = add_size(app, "--buffer", buffer, "of it", 4096, 1 << 30);
  CHECK(option->get_default_str() == "64M");
  CHECK(option->get_description() == "of it; 4K to 1G");
  CHECK(error_of(app, {"--memory", "2G", "--buffer", "4K"}).empty());
  CHECK(memory == std::uint64_t{2} << 30);
  CHECK(buffer == 4096);
  for (std::string const text : {"lots", "1", "2T", "1.5G"})
    CHECK(error_of(app, {"--memory", text}) ==
          "--memory: \"" + text + "\" is not a size from 16M to 1T, such as 512M");
}

TEST_CASE("a number is whole and in its range") {
  CLI::App app{"", "test"};
  int count = 3;
  CLI::Option const* const option = add_number(app, "-n,--entries COUNT", count, "how many", 1, 16);
  CHECK(option->get_description() == "how many; 1 to 16");
  CHECK(option->get_default_str() == "3");
  CHECK(error_of(app, {"-n", "16"}).empty());
  CHECK(count == 16);
  for (std::string const text : {"0", "17", "1.5", "x"})
    CHECK(error_of(app, {"-n", text}) == "--entries: \"" + text + "\" is not a whole number from 1 to 16");
}

TEST_CASE("one of several words") {
  CLI::App app{"", "test"};
  std::string kind = "auto";
  CLI::Option const* const option =
      add_choice(app, "--accelerator", kind, {"auto", "cuda", "software"}, "which");
  CHECK(option->get_option_text() == "auto|cuda|software");
  CHECK(error_of(app, {"--accelerator", "cuda"}).empty());
  CHECK(kind == "cuda");
  CHECK(error_of(app, {"--accelerator", "sofware"}) ==
        "--accelerator: \"sofware\" is none of auto, cuda, software; did you mean software?");
  CHECK(error_of(app, {"--accelerator", "abacus"}) ==
        "--accelerator: \"abacus\" is none of auto, cuda, software");
}

TEST_CASE("an option that may be repeated takes one value each time") {
  CLI::App app{"", "test"};
  std::vector<std::string> rules;
  std::string word;
  add_texts(app, "--rule REGEX=NAME", rules, "may be repeated");
  add_text(app, "WORD", word, "what");
  CHECK(error_of(app, {"--rule", "a=b", "--rule", "c=d", "x"}).empty());
  CHECK(rules == std::vector<std::string>{"a=b", "c=d"});
  CHECK(word == "x");
}
