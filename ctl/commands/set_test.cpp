// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/set.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("valid settings pass") {
  CHECK(check_settings({"credits=512", "memory=64M", "slo=0.25", "latency=2ms", "accelerator=any"}));
}

TEST_CASE("bad settings are bad usage, with what is valid, and printable") {
  for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
           {}, {"credits"}, {"weight=1"}, {"credits=1", "credits=2"}, {"credits=0"}}) {
    auto const checked = check_settings(words);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().exit_status() == 2);
    CHECK(checked.error().message.find("credits") != std::string::npos);
  }
  CHECK(check_settings({"memory=\033[2J"}).error().message.find('\033') == std::string::npos);
}
