// SPDX-License-Identifier: Apache-2.0
#include "domA/xen/vaccel_option.h"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

using namespace pegasus::xen;

TEST_CASE("the option of xl.cfg's manual") {
  CHECK(parse_vaccel("credits=512,memory=256M,slo=0.5") == VaccelOption{512, 256 * 1024, 500});
  CHECK(parse_vaccel("") == VaccelOption{});
  CHECK(parse_vaccel(" slo=1 , credits=1") == VaccelOption{1, 0, 1000});
  CHECK(parse_vaccel("memory=64")->memory_kb == 64 * 1024);
  CHECK(parse_vaccel("memory=64k")->memory_kb == 64);
  CHECK(parse_vaccel("memory=2G,backend=0")->memory_kb == 2 * 1024 * 1024);
}

TEST_CASE("a bad value is named, with what is valid") {
  for (std::string const text : {"credits=0", "credits=65536", "credits=-1", "credits=", "credits=1x",
                                 "memory=0", "memory=M", "memory=99999999999T", "slo=1.5", "slo=nan",
                                 "slo=-0.1", "speed=3", "credits", "backend=any,thing=else"}) {
    auto const option = parse_vaccel(text);
    INFO(text);
    REQUIRE_FALSE(option);
    CHECK(option.error().find("vaccel: ") == 0);
  }
  CHECK(parse_vaccel("credits=0").error().find("1 to 65535") != std::string::npos);
}

TEST_CASE("the option's corners") {
  auto const [text, option] = GENERATE(table<std::string, VaccelOption>({
      {",", {}},
      {",,credits=7,", {7, 0, 0}},
      {"credits=7,credits=8", {8, 0, 0}},
      {"credits=65535", {65535, 0, 0}},
      {"memory=1024T", {256, VaccelOption::memory_kb_max, 0}},
      {"slo=0", {256, 0, 0}},
      {"slo=0.0004", {256, 0, 0}},
      {"slo=0.0005", {256, 0, 1}},
      {"slo=0.9996", {256, 0, 1000}},
      {"backend", {}},
  }));
  INFO(text);
  CHECK(parse_vaccel(text) == option);
}

namespace {

struct Nodes {
  std::map<std::string, std::string> text;
  std::vector<std::string> reported;

  VaccelOption read() {
    reported.clear();
    return read_vaccel(
        "/b/7/0",
        [this](std::string const& path) {
          auto const found = text.find(path);
          return found == text.end() ? std::nullopt : std::optional(found->second);
        },
        [this](std::string const& problem) { reported.push_back(problem); });
  }
};

} // namespace

TEST_CASE("settings come from the device's nodes, defaults from nodes that are not there") {
  Nodes nodes;
  CHECK(nodes.read() == VaccelOption{256, 0, 0});
  nodes.text = {{"/b/7/0/credits", "1024"}, {"/b/7/0/memory-kb", "65536"}, {"/b/7/0/slo-permille", "200"}};
  CHECK(nodes.read() == VaccelOption{1024, 65536, 200});
  CHECK(nodes.reported.empty());
}

TEST_CASE("a setting out of its limits is its default, and is reported") {
  auto const [node, text, valid] = GENERATE(table<std::string, std::string, bool>({
      {"credits", "1", true},
      {"credits", "65535", true},
      {"credits", "0", false},
      {"credits", "65536", false},
      {"credits", "4294967297", false}, // 1, if it were cut to 32 bits
      {"credits", "nonsense", false},
      {"credits", "", false},
      {"memory-kb", "0", true},
      {"memory-kb", "1099511627776", true},
      {"memory-kb", "1099511627777", false},
      {"memory-kb", "18446744073709551615", false},
      {"memory-kb", "64M", false},
      {"slo-permille", "1000", true},
      {"slo-permille", "1001", false},
      {"slo-permille", "0.5", false},
  }));
  INFO(node << "=" << text);
  Nodes nodes;
  nodes.text["/b/7/0/" + node] = text;
  VaccelOption const option = nodes.read();
  CHECK(nodes.reported.size() == (valid ? 0 : 1));
  if (!valid) {
    CHECK(option == VaccelOption{});
    CHECK(nodes.reported[0].find("/b/7/0/" + node + " is no number from ") == 0);
  }
}

TEST_CASE("the report says what is valid and what is taken") {
  Nodes nodes;
  nodes.text["/b/7/0/credits"] = "nonsense";
  (void)nodes.read();
  CHECK(nodes.reported ==
        std::vector<std::string>{"/b/7/0/credits is no number from 1 to 65535: 256 is taken"});
}
