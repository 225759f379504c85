// SPDX-License-Identifier: Apache-2.0
#include "control/client/address.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

using namespace pegasus::control;

namespace {

Getenv variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](char const* name) -> char const* {
    auto const found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

} // namespace

TEST_CASE("the default places are the user's own, then the system's") {
  Addresses const found = find_addresses({}, variables({{"XDG_RUNTIME_DIR", "/run/user/7"}}));
  REQUIRE(found.candidates.size() == 2);
  CHECK(found.candidates[0] == Address{"/run/user/7/pegasus/control.sock", "/run/user/7/pegasus/guest.sock",
                                       "/run/user/7/pegasus/status.sock"});
  CHECK(found.candidates[1] ==
        Address{"/run/pegasus/control.sock", "/run/pegasus/guest.sock", "/run/pegasus/status.sock"});
  CHECK_FALSE(found.chosen);
  CHECK(find_addresses({}, variables({{"XDG_RUNTIME_DIR", ""}})).candidates.size() == 1);
}

TEST_CASE("$PEGASUS_CONTROL and what the user named leave no choice, and the latter wins") {
  auto const environment = variables({{"PEGASUS_CONTROL", "/a/c.sock"}, {"XDG_RUNTIME_DIR", "/run/user/7"}});
  Addresses const by_variable = find_addresses({}, environment);
  REQUIRE(by_variable.candidates.size() == 1);
  CHECK(by_variable.chosen);
  CHECK(by_variable.candidates[0] == Address{"/a/c.sock", "/a/guest.sock", "/a/status.sock"});
  CHECK(find_addresses("/b/d.sock", environment).candidates[0] ==
        Address{"/b/d.sock", "/b/guest.sock", "/b/status.sock"});
}

TEST_CASE("a directory stands for the sockets in it, and addresses are absolute") {
  CHECK(address_of("/").control == "/control.sock");
  CHECK(address_of("/nowhere/") ==
        Address{"/nowhere/control.sock", "/nowhere/guest.sock", "/nowhere/status.sock"});
  auto const here = std::filesystem::current_path();
  CHECK(address_of(".").guest == (here / "guest.sock").string());
  CHECK(address_of("x.sock") ==
        Address{(here / "x.sock").string(), (here / "guest.sock").string(), (here / "status.sock").string()});
}
