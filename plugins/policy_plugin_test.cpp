// SPDX-License-Identifier: Apache-2.0
#include "plugins/policy_plugin.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace pegasus::plugins;
using namespace pegasus::policies;
using Catch::Contains;

namespace {

std::string plugin(std::string const& variant) { return PLUGINS "/" + variant + ".so"; }

// The sentence with which it is refused.
std::string refusal(std::string const& file, Trust trust = Trust::any) {
  auto const loaded = load_policy(file, trust);
  REQUIRE_FALSE(loaded);
  CHECK_THAT(loaded.error(), Catch::StartsWith(file + ": "));
  return loaded.error();
}

Entry const& loaded(std::string const& variant) {
  auto const entry = load_policy(plugin(variant), Trust::any);
  INFO((entry ? "" : entry.error()));
  REQUIRE(entry);
  return **entry;
}

// A directory of its own, with a copy of a plug-in in it.
struct Copy {
  Copy() {
    std::string name = (std::filesystem::temp_directory_path() / "pegasus-plugin-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    directory = name;
    file = directory / "copy.so";
    std::filesystem::copy_file(plugin("null"), file); // which is loaded, and refused then
    mode(0755);
  }
  ~Copy() { std::filesystem::remove_all(directory); }
  Copy(Copy const&) = delete;
  Copy& operator=(Copy const&) = delete;

  void mode(mode_t bits) const { REQUIRE(chmod(file.c_str(), bits) == 0); }

  std::filesystem::path directory, file;
};

} // namespace

TEST_CASE("a plug-in's policy is in the table, chosen and made as the others") {
  std::size_t const before = registry().size();
  Entry const* const fair = find("fair");
  Entry const& entry = loaded("good");
  CHECK(registry().size() == before + 1);
  CHECK(&registry().back() == &entry);
  CHECK(find("good") == &entry);
  CHECK(find("fair") == fair);
  CHECK(entry.exclusive);
  auto const choice = choose("good", std::vector<std::string>{"slice=2ms"}, {});
  REQUIRE(std::holds_alternative<Choice>(choice));
  CHECK(std::get<Choice>(choice).tunables.slice == std::chrono::milliseconds(2));
  std::vector<DomainView> domains(2);
  domains[0].id = 7;
  domains[1].id = 9;
  domains[1].calls_waiting = 1;
  auto const policy = entry.make({});
  CHECK(policy->decide({.domains = domains}).run == std::vector<DomainId>{9});
  CHECK(policy->debt(9) == Nanos{0});
  CHECK_THAT(refusal(plugin("good")), Contains("there is one of that name"));
}

TEST_CASE("what is no plug-in is refused in a sentence") {
  Copy const copy;
  CHECK_THAT(refusal("./no/such.so"), Contains("No such file"));
  CHECK_THAT(refusal(copy.directory), Contains("not a file"));
  std::ofstream(copy.file) << "text";
  CHECK_THAT(refusal(copy.file), Contains("cannot be loaded as a shared object: file too short"));
  CHECK_THAT(refusal(plugin("nothing")), Contains("no function pegasus_policy"));
  CHECK_THAT(refusal(plugin("other_headers")),
             Contains("from other headers") && Contains("0123456789abcdef") && Contains("build it again"));
}

TEST_CASE("an entry that cannot join the table is refused in a sentence") {
  std::size_t const before = registry().size();
  CHECK_THAT(refusal(plugin("null")), Contains("returns no entry"));
  CHECK_THAT(refusal(plugin("built_in")), Contains("\"fair\"") && Contains("there is one of that name"));
  CHECK_THAT(refusal(plugin("nameless")), Contains("a name has lower-case letters"));
  CHECK_THAT(refusal(plugin("unmakeable")), Contains("nothing makes it"));
  CHECK(registry().size() == before);
}

TEST_CASE("what a plug-in's policy throws is reported with its name") {
  CHECK_THROWS_WITH(loaded("decide_throws").make({})->decide({}),
                    "policy decide-throws threw in decide: something that is no std::exception");
  CHECK_THROWS_WITH(loaded("makes_none").make({}), "policy makes-none: its `make` made none");
  Entry const& entry = loaded("make_throws");
  CHECK(entry.make({}) != nullptr);
  CHECK_THROWS_WITH(entry.make({.slice = Nanos{1}}),
                    Contains("policy make-throws threw in make: ") && Contains("bad_alloc"));
}

TEST_CASE("a file that others can change is not loaded") {
  Copy const copy;
  for (mode_t const bits : {mode_t{0775}, mode_t{0757}}) {
    copy.mode(bits);
    CHECK_THAT(refusal(copy.file, Trust::us_and_root), Contains("can be changed by others"));
    CHECK_THAT(refusal(copy.file, Trust::any), Contains("returns no entry"));
  }
  copy.mode(0755);
  CHECK_THAT(refusal(copy.file, Trust::us_and_root), Contains("returns no entry"));
  if (geteuid() != 0) {
    CHECK_THAT(refusal(copy.file, Trust::root), Contains("root must own it"));
    return;
  }
  std::filesystem::permissions(copy.directory, std::filesystem::perms::all);
  CHECK_THAT(refusal(copy.file, Trust::root),
             Contains("its directory " + copy.directory.string() + " can be changed by others"));
  REQUIRE(chown(copy.file.c_str(), 12345, 0) == 0);
  for (Trust const trust : {Trust::us_and_root, Trust::root})
    CHECK_THAT(refusal(copy.file, trust), Contains("it belongs to user 12345"));
}
