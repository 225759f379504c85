// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/guest_rules.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

using namespace pegasus;
using namespace pegasus::xen;

namespace {

class RulesFixture {
public:
  RulesFixture() {
    std::string name = (std::filesystem::temp_directory_path() / "pegasus-rules-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    directory = name;
  }
  ~RulesFixture() { std::filesystem::remove_all(directory); }
  RulesFixture(RulesFixture const&) = delete;
  RulesFixture& operator=(RulesFixture const&) = delete;

  void write(std::string const& name, std::string const& text) { std::ofstream(directory / name) << text; }
  [[nodiscard]] std::string problem() const {
    auto const rules = GuestRules::read(directory);
    REQUIRE(rules.problems().size() == 1);
    return rules.problems().front();
  }

  std::filesystem::path directory;
};

} // namespace

TEST_CASE_METHOD(RulesFixture, "guests are found by name, by pattern and by UUID") {
  write("10-web.toml", "[[guest]]\nname = \"web\"\ncredits = 512\nmemory = \"64M\"\nslo = 0.25\n"
                       "[[guest]]\nuuid = \"6F0B5B2A-0000-4000-8000-000000000001\"\ncredits = 7\n");
  write("20-all.toml", "[[guest]]\nname = \"w*\"\nlatency = \"2ms\"\n");
  write("note.txt", "not a rule");
  auto const rules = GuestRules::read(directory);
  CHECK(rules.problems().empty());
  auto const web = rules.find("web", "");
  REQUIRE(web);
  CHECK(web->credits == 512);
  CHECK(web->memory == 64u << 20);
  CHECK(web->slo == 0.25);
  CHECK(rules.find("web", "6f0b5b2a-0000-4000-8000-000000000001")->credits == 7);
  CHECK(rules.find("worker", "another")->latency_slice == std::chrono::milliseconds(2));
  CHECK_FALSE(rules.find("db", ""));
}

TEST_CASE("without a directory there are no rules and no problem") {
  auto const rules = GuestRules::read("/nowhere/at/all");
  CHECK(rules.problems().empty());
  CHECK_FALSE(rules.find("web", ""));
}

TEST_CASE_METHOD(RulesFixture, "a file with an error does not count, and says where it is") {
  write("good.toml", "[[guest]]\nname = \"db\"\n");
  auto const error_of = [this](std::string const& text) {
    write("bad.toml", text);
    return problem();
  };
  CHECK_THAT(error_of("[[guest]]\nname = \"web\"\ncredits = 0\n"),
             Catch::Contains("bad.toml:3:11: credits=0 is not valid: a whole number from 1 to 65535") &&
                 Catch::EndsWith("the file does not count"));
  CHECK_THAT(error_of("[[guest]]\nname = \"web\"\ncredit = 5\n"),
             Catch::Contains("bad.toml:3:") && Catch::Contains("credit"));
  CHECK_THAT(error_of("[[guest]]\ncredits = 5\n"),
             Catch::Contains("a guest has a name or a uuid, and not both"));
  CHECK_THAT(error_of("[[guest]]\nname = \"a\"\naccelerator = 1\n"),
             Catch::Contains("not a setting of the device"));
  CHECK_THAT(error_of("[[guest]]\nname = \"a\"\nslo = 0.5\ncap = 0.25\n"),
             Catch::Contains("slo=0.5 is more than cap=0.25"));
  CHECK_THAT(error_of("[[guests]]\nname = \"a\"\n"), Catch::Contains("guests"));
  CHECK_THAT(error_of("[[guest]\n"), Catch::Contains("bad.toml:1:"));
  auto const rules = GuestRules::read(directory);
  CHECK(rules.find("db", ""));
  CHECK_FALSE(rules.find("web", ""));
}
