// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/vaccel_option.h"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

using namespace pegasus::xen;
using pegasus::control::Settings;

namespace {

// Values as the nodes have them.
Settings settings(std::uint32_t credits = 256, std::uint64_t memory_kb = 0, unsigned slo_permille = 0,
                  unsigned latency_us = 0, std::uint64_t host_memory_kb = 0) {
  return {.credits = credits,
          .memory = memory_kb * 1024,
          .slo = slo_permille / 1000.0,
          .latency_slice = std::chrono::microseconds(latency_us),
          .host_memory = host_memory_kb * 1024};
}

std::vector<std::string> as_nodes(Settings const& settings) {
  std::vector<std::string> nodes;
  CHECK(write_vaccel(settings, [&](std::string_view node, std::string const& value) {
    nodes.push_back(std::string(node) + "=" + value);
    return true;
  }));
  return nodes;
}

} // namespace

TEST_CASE("the option of xl.cfg's manual") {
  CHECK(parse_vaccel("credits=512,memory=256M,slo=0.5,latency=2ms") == settings(512, 256 * 1024, 500, 2000));
  CHECK(parse_vaccel("") == settings());
  CHECK(parse_vaccel(" slo=1 , credits=1") == settings(1, 0, 1000, 0));
  CHECK(parse_vaccel("memory=64")->memory == std::uint64_t{1024} * 64 * 1024);
  CHECK(parse_vaccel("memory=64k")->memory == std::uint64_t{1024} * 64);
  CHECK(parse_vaccel("memory=2G,backend=0")->memory == std::uint64_t{1024} * 2 * 1024 * 1024);
}

TEST_CASE("the error names the bad value and the valid ones") {
  for (std::string const text : {"credits=0",
                                 "credits=65536",
                                 "credits=-1",
                                 "credits=",
                                 "credits=1x",
                                 "memory=0",
                                 "memory=M",
                                 "memory=99999999999T",
                                 "slo=1.5",
                                 "slo=nan",
                                 "slo=-0.1",
                                 "latency=2",
                                 "latency=99us",
                                 "latency=1.1s",
                                 "latency=-1ms",
                                 "latency=1h",
                                 "latency=",
                                 "latency=ms",
                                 "latency=nan",
                                 "latency=infs",
                                 "speed=3",
                                 "credits",
                                 "backend=any,thing=else"}) {
    auto const option = parse_vaccel(text);
    INFO(text);
    REQUIRE_FALSE(option);
    CHECK(option.error().find("vaccel: ") == 0);
  }
  CHECK(parse_vaccel("credits=0").error().find("1 to 65535") != std::string::npos);
  CHECK(parse_vaccel("latency=1us").error() ==
        "vaccel: latency=1us is not valid: a time from 100us to 1s, or 0");
}

TEST_CASE("the option's corners") {
  auto const [text, option] = GENERATE(table<std::string, Settings>({
      {",", settings()},
      {",,credits=7,", settings(7, 0, 0, 0)},
      {"credits=7,credits=8", settings(8, 0, 0, 0)},
      {"credits=65535", settings(65535, 0, 0, 0)},
      {"memory=1024T", settings(256, std::uint64_t{1} << 40)},
      {"slo=0", settings(256, 0, 0, 0)},
      {"slo=0.0004", settings(256, 0, 0, 0)},
      {"slo=0.0005", settings(256, 0, 1, 0)},
      {"slo=0.9996", settings(256, 0, 1000, 0)},
      {"latency=0", settings(256, 0, 0, 0)},
      {"latency=0ms", settings(256, 0, 0, 0)},
      {"latency=100us", settings(256, 0, 0, 100)},
      {"latency=1s", settings(256, 0, 0, 1'000'000)},
      {"latency=0.5ms", settings(256, 0, 0, 500)},
      {"latency=100.6us", settings(256, 0, 0, 101)},
      {"backend", settings()},
  }));
  INFO(text);
  CHECK(as_nodes(parse_vaccel(text).value()) == as_nodes(option));
}

namespace {

struct Nodes {
  std::map<std::string, std::string> text;

  VaccelNodes read(std::optional<Settings> const& last = std::nullopt) const {
    return read_vaccel("/b/7/0", last, [this](std::string const& path) {
      auto const found = text.find(path);
      return found == text.end() ? std::nullopt : std::optional(found->second);
    });
  }
};

} // namespace

TEST_CASE("host memory has the syntax of memory, and is never zero") {
  CHECK(parse_vaccel("host-memory=2G").value().host_memory == std::uint64_t{2} << 30);
  CHECK(parse_vaccel("host-memory=0").error() ==
        "vaccel: host-memory=0 is not valid: megabytes, or a number with K, M, G or T");
}

TEST_CASE("settings come from the device's nodes, defaults from nodes that are not there") {
  Nodes nodes;
  CHECK(nodes.read().settings == settings(256, 0, 0, 0));
  CHECK(nodes.read().problems.empty());
  nodes.text = {{"/b/7/0/credits", "1024"},
                {"/b/7/0/memory-kb", "65536"},
                {"/b/7/0/slo-permille", "200"},
                {"/b/7/0/latency-us", "2000"},
                {"/b/7/0/host-memory-kb", "4096"}};
  CHECK(nodes.read().settings == settings(1024, 65536, 200, 2000, 4096));
  CHECK(nodes.read().problems.empty());
}

TEST_CASE("a setting out of its limits changes nothing, and is reported") {
  auto const [node, text, valid] = GENERATE(table<std::string, std::string, bool>({
      {"credits", "1", true},
      {"credits", "65535", true},
      {"credits", "0", false},
      {"credits", "65536", false},
      {"credits", "4294967297", false}, // 1 if truncated to 32 bits
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
      {"latency-us", "0", true},
      {"latency-us", "100", true},
      {"latency-us", "1000000", true},
      {"latency-us", "99", false},
      {"latency-us", "1000001", false},
      {"latency-us", "2ms", false},
      {"host-memory-kb", "1099511627776", true},
      {"host-memory-kb", "1G", false},
  }));
  INFO(node << "=" << text);
  Nodes nodes;
  nodes.text["/b/7/0/" + node] = text;
  VaccelNodes const at_first = nodes.read();
  CHECK(at_first.problems.size() == (valid ? 0 : 1));
  CHECK(at_first.unlimited_by_error == (!valid && node == "memory-kb"));
  if (valid) return;
  CHECK(at_first.settings == settings());
  CHECK(at_first.problems[0].find("/b/7/0/" + node + " is not a number from ") == 0);
  nodes.text = {{"/b/7/0/credits", "1024"},
                {"/b/7/0/memory-kb", "65536"},
                {"/b/7/0/slo-permille", "200"},
                {"/b/7/0/latency-us", "2000"}};
  Settings const good = nodes.read().settings;
  nodes.text["/b/7/0/" + node] = text;
  VaccelNodes const later = nodes.read(good);
  CHECK(later.settings == good);
  CHECK(later.problems.size() == 1);
  CHECK_FALSE(later.unlimited_by_error);
}

TEST_CASE("an SLO of more than the cap is refused in the option, and limited in the nodes") {
  auto const refused = parse_vaccel("slo=0.6,cap=0.3");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().starts_with("vaccel: slo=0.6 is more than cap=0.3"));
  CHECK(parse_vaccel("slo=0.3,cap=0.3"));
  auto const nodes =
      read_vaccel("d", std::nullopt, [](std::string const& path) -> std::optional<std::string> {
        if (path == "d/slo-permille") return "600";
        if (path == "d/cap-permille") return "300";
        return std::nullopt;
      });
  CHECK(nodes.settings.slo == 0.3);
  CHECK(nodes.settings.cap == 0.3);
  REQUIRE(nodes.problems.size() == 1);
  CHECK(nodes.problems.front().starts_with("d/slo-permille is more than d/cap-permille"));
}

TEST_CASE("removing a node does not lift its limit") {
  Settings const good = settings(1024, 65536, 200, 2000);
  VaccelNodes const nodes = Nodes{}.read(good);
  CHECK(nodes.settings == good);
  CHECK(nodes.problems.size() == 4);
  CHECK_FALSE(nodes.unlimited_by_error);
}

TEST_CASE("the report says what is valid and what is taken") {
  Nodes nodes;
  nodes.text = {{"/b/7/0/credits", "nonsense"}, {"/b/7/0/memory-kb", "0"}};
  CHECK(nodes.read().problems ==
        std::vector<std::string>{"/b/7/0/credits is not a number from 1 to 65535: 256 is taken"});
  CHECK(nodes.read(settings(512, 0, 0, 0)).problems ==
        std::vector<std::string>{"/b/7/0/credits is not a number from 1 to 65535: 512 stays"});
  nodes.text.erase("/b/7/0/memory-kb");
  CHECK(nodes.read(settings(256, 64, 0, 0)).problems.back() == "/b/7/0/memory-kb has been removed: 64 stays");
}

TEST_CASE("what is written reads back, and a failure to write is told") {
  CHECK(as_nodes(settings(512, 64, 250, 2000, 128)) ==
        std::vector<std::string>{"credits=512", "memory-kb=64", "slo-permille=250", "cap-permille=0",
                                 "latency-us=2000", "host-memory-kb=128"});
  CHECK_FALSE(write_vaccel(settings(),
                           [](std::string_view node, std::string const&) { return node != "slo-permille"; }));
}

TEST_CASE("the backend's domain is the toolstack's") {
  CHECK(backend_in("credits=7, backend=driver ,memory=1M") == "driver");
  CHECK(backend_in("credits=7").empty());
  CHECK(backend_in("").empty());
}
