// SPDX-License-Identifier: Apache-2.0
#include "control/settings.h"

#include <catch2/catch.hpp>
#include <set>

using namespace pegasus;
using control::Settings;

namespace {

// The error; empty on success.
std::string apply(std::vector<std::string> const& words, Settings& settings) {
  auto const applied = control::apply_settings(words, settings);
  return applied ? std::string() : applied.error();
}

} // namespace

TEST_CASE("words change what they name and nothing else") {
  using namespace std::chrono_literals;
  Settings settings;
  CHECK(apply({"credits=512", "memory=64M", "slo=0.25"}, settings).empty());
  CHECK(settings == Settings{.credits = 512, .memory = 64 << 20, .slo = 0.25});
  CHECK(apply({"latency=2ms", "host-memory=1G", "accelerator=3"}, settings).empty());
  CHECK(settings == Settings{.credits = 512,
                             .memory = 64 << 20,
                             .slo = 0.25,
                             .latency_slice = 2ms,
                             .host_memory = 1 << 30,
                             .accelerator = 3});
  CHECK(apply({"memory=0", "latency=0", "accelerator=any"}, settings).empty());
  CHECK(settings == Settings{.credits = 512, .slo = 0.25, .host_memory = 1 << 30});
}

TEST_CASE("a bad word is refused with what is valid, and nothing is set") {
  auto const [word, valid] = GENERATE(table<std::string, std::string>({
      {"credits=0", "1 to 65535"},
      {"credits=65536", "1 to 65535"},
      {"credits=", "1 to 65535"},
      {"memory=much", "64M"},
      {"memory=-1", "64M"},
      {"memory=99999T", "64M"},
      {"slo=1.5", "0 to 1"},
      {"slo=nan", "0 to 1"},
      {"latency=2", "100us to 1s"},
      {"latency=99us", "100us to 1s"},
      {"latency=1.1s", "100us to 1s"},
      {"host-memory=M", "as memory"},
      {"accelerator=-1", "any"},
      {"accelerator=1024", "any"},
      {"speed=3", "credits=N"},
      {"=1", "credits=N"},
      {"credits", "credits=N"},
  }));
  Settings settings{.credits = 7};
  std::string const problem = apply({"slo=0.5", word}, settings);
  INFO(word << ": " << problem);
  if (!word.starts_with("slo")) CHECK(problem.find(valid) != std::string::npos);
  CHECK_FALSE(problem.empty());
  CHECK(settings == Settings{.credits = 7});
}

TEST_CASE("no more is promised to a domain than it may have") {
  Settings settings;
  CHECK(apply({"slo=0.6", "cap=0.3"}, settings).starts_with("slo=0.6 is more than cap=0.3: "));
  CHECK(settings == Settings{});
  CHECK(apply({"cap=0.3", "slo=0.3"}, settings).empty());
  // What is set already counts.
  CHECK(apply({"slo=0.4"}, settings).find("set slo= to 0.3 or less") != std::string::npos);
  CHECK(apply({"cap=0.2"}, settings).find("raise cap=") != std::string::npos);
  CHECK(settings == Settings{.slo = 0.3, .cap = 0.3});
  CHECK(apply({"cap=0", "slo=0.9"}, settings).empty());
}

TEST_CASE("no setting twice") {
  Settings settings;
  CHECK(apply({"credits=1", "credits=2"}, settings) == "credits is given twice");
  CHECK(settings == Settings{});
}

TEST_CASE("the text of credits has the policies' range") {
  CHECK(control::all_settings()[0].valid == "a whole number from " + std::to_string(policies::min_credits) +
                                                " to " + std::to_string(policies::max_credits));
}

TEST_CASE("each row is of its own, and what nodes have reads back") {
  std::set<std::string_view> keys, nodes;
  for (control::Setting const& setting : control::all_settings()) {
    INFO(setting.key);
    CHECK(keys.insert(setting.key).second);
    if (setting.node.name.empty()) continue;
    CHECK(nodes.insert(setting.node.name).second);
    for (std::uint64_t const value : {setting.node.least, setting.node.most}) {
      Settings settings;
      setting.node.set(settings, value);
      CHECK(setting.node.get(settings) == value);
    }
  }
}

TEST_CASE("nodes give what they have; what has none stays as it was set") {
  using namespace std::chrono_literals;
  Settings const nodes{.credits = 512,
                       .memory = 64 << 20,
                       .slo = 0.25,
                       .cap = 0.5,
                       .latency_slice = 2ms,
                       .host_memory = 1 << 20};
  Settings settings{.credits = 7, .memory = 1, .accelerator = 3};
  control::take_nodes(nodes, settings);
  Settings expected = nodes;
  for (control::Setting const& setting : control::all_settings())
    if (setting.node.name.empty()) {
      CHECK(setting.key == "accelerator");
      expected.accelerator = 3;
    }
  CHECK(settings == expected);
}

TEST_CASE("what is less than a node's unit is not the default") {
  control::Setting const& memory = control::all_settings()[1];
  CHECK(memory.node.get(Settings{.memory = 1}) == 1);
  CHECK(memory.node.get(Settings{}) == 0);
}
