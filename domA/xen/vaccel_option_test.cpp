// SPDX-License-Identifier: Apache-2.0
#include "domA/xen/attach.h"

#include <catch2/catch.hpp>

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
  for (std::string const text :
       {"credits=0", "credits=65536", "credits=-1", "credits=", "credits=1x", "memory=0", "memory=M",
        "memory=99999999999T", "slo=1.5", "slo=nan", "slo=-0.1", "speed=3", "credits"}) {
    auto const option = parse_vaccel(text);
    INFO(text);
    REQUIRE_FALSE(option);
    CHECK(option.error().find("vaccel: ") == 0);
  }
  CHECK(parse_vaccel("credits=0").error().find("1 to 65535") != std::string::npos);
}
