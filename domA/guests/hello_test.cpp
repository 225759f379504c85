// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/hello.h"

#include "frontend/protocol/channel.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

using namespace pegasus::guests;

namespace {

pegasus_hello good_hello() {
  pegasus_hello hello{};
  hello.magic = PEGASUS_HELLO_MAGIC;
  hello.version = PEGASUS_PROTOCOL_VERSION;
  hello.task = 42;
  std::strcpy(hello.domain, "dom1");
  std::strcpy(hello.program, "vectorAdd");
  return hello;
}

auto parse(pegasus_hello const& hello) { return parse_hello(std::as_bytes(std::span(&hello, 1))); }

} // namespace

TEST_CASE("a good hello is understood") {
  auto const hello = parse(good_hello());
  REQUIRE(hello);
  CHECK(hello->process == 42);
  CHECK(hello->domain == "dom1");
  CHECK(hello->program == "vectorAdd");
}

TEST_CASE("a hello of another version is told which version is spoken here") {
  pegasus_hello hello = good_hello();
  hello.version = PEGASUS_PROTOCOL_VERSION + 1;
  auto const refused = parse(hello);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().error == EPROTONOSUPPORT);
  CHECK(refused.error().message.find("version " + std::to_string(PEGASUS_PROTOCOL_VERSION)) !=
        std::string::npos);
}

TEST_CASE("packets of any other form are refused") {
  pegasus_hello const hello = good_hello();
  auto const bytes = std::as_bytes(std::span(&hello, 1));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    REQUIRE_FALSE(parse_hello(bytes.first(length)));
  pegasus_hello wrong = hello;
  wrong.magic++;
  CHECK(parse(wrong).error().error == EPROTO);
}

TEST_CASE("names without an end and with control characters do no harm") {
  pegasus_hello hello = good_hello();
  std::memset(hello.program, '\x1b', sizeof hello.program);
  auto const parsed = parse(hello);
  REQUIRE(parsed);
  CHECK(parsed->program == std::string(sizeof hello.program, '?'));
  std::memset(hello.domain, 'd', sizeof hello.domain);
  CHECK_FALSE(parse(hello));
}
