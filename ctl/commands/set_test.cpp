// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/set.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("settings become a request") {
  pegasus::control::SetDomain request;
  REQUIRE(parse_settings({"credits=512", "memory=64M", "slo=0.25", "latency=2ms"}, request));
  CHECK(request.credits() == 512);
  CHECK(request.memory_bytes() == 64 << 20);
  CHECK(request.slo() == 0.25);
  CHECK(request.latency_slice_ns() == 2'000'000);
}

TEST_CASE("an accelerator is a number, or any") {
  pegasus::control::SetDomain request;
  REQUIRE(parse_settings({"accelerator=3"}, request));
  CHECK(request.accelerator() == 3);
  REQUIRE(parse_settings({"accelerator=any"}, request));
  CHECK(request.accelerator() == -1);
}

TEST_CASE("what is not named stays as it is") {
  pegasus::control::SetDomain request;
  REQUIRE(parse_settings({"memory=0"}, request));
  CHECK(request.has_memory_bytes());
  CHECK_FALSE(request.has_credits());
  CHECK_FALSE(request.has_slo());
  CHECK_FALSE(request.has_latency_slice_ns());
}

TEST_CASE("bad settings are refused with the valid ones") {
  for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
           {}, {"credits"}, {"weight=1"}, {"=1"}, {"credits=1", "credits=2"}}) {
    pegasus::control::SetDomain request;
    auto const parsed = parse_settings(words, request);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().exit_status() == 2);
    CHECK(parsed.error().message.find("credits=N") != std::string::npos);
  }
  for (char const* const word :
       {"credits=0", "credits=65536", "credits=", "slo=1.5", "slo=nan", "memory=much", "latency=2",
        "latency=soon", "accelerator=-1", "accelerator=one"}) {
    INFO(word);
    pegasus::control::SetDomain request;
    auto const parsed = parse_settings({word}, request);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().exit_status() == 2);
  }
}
