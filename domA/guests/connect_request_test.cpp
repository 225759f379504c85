// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/connect_request.h"

#include "frontend/protocol/channel.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

using namespace pegasus::guests;

namespace {

pegasus_connect_request good_connect_request() {
  pegasus_connect_request connect_request{};
  connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
  connect_request.version = PEGASUS_PROTOCOL_VERSION;
  connect_request.task = 42;
  std::strcpy(connect_request.domain, "dom1");
  std::strcpy(connect_request.program, "vectorAdd");
  return connect_request;
}

auto parse(pegasus_connect_request const& connect_request) {
  return parse_connect_request(std::as_bytes(std::span(&connect_request, 1)));
}

} // namespace

TEST_CASE("a good connect request is understood") {
  auto const connect_request = parse(good_connect_request());
  REQUIRE(connect_request);
  CHECK(connect_request->process == 42);
  CHECK(connect_request->domain == "dom1");
  CHECK(connect_request->program == "vectorAdd");
}

TEST_CASE("a connect request of another version is told which version is spoken here") {
  pegasus_connect_request connect_request = good_connect_request();
  connect_request.version = PEGASUS_PROTOCOL_VERSION + 1;
  auto const refused = parse(connect_request);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().error == EPROTONOSUPPORT);
  CHECK(refused.error().message.find("version " + std::to_string(PEGASUS_PROTOCOL_VERSION)) !=
        std::string::npos);
}

TEST_CASE("a connect request asks for a channel or for totals, and for nothing else") {
  pegasus_connect_request connect_request = good_connect_request();
  CHECK(parse(connect_request)->kind == PEGASUS_CONNECT_TASK);
  connect_request.kind = PEGASUS_CONNECT_TOTALS;
  CHECK(parse(connect_request)->kind == PEGASUS_CONNECT_TOTALS);
  connect_request.kind = 2;
  REQUIRE_FALSE(parse(connect_request));
  CHECK(parse(connect_request).error().error == EINVAL);
}

TEST_CASE("packets of any other form are refused") {
  pegasus_connect_request const connect_request = good_connect_request();
  auto const bytes = std::as_bytes(std::span(&connect_request, 1));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    REQUIRE_FALSE(parse_connect_request(bytes.first(length)));
  pegasus_connect_request wrong = connect_request;
  wrong.magic++;
  CHECK(parse(wrong).error().error == EPROTO);
}

TEST_CASE("names without an end and with control characters do no harm") {
  pegasus_connect_request connect_request = good_connect_request();
  std::memset(connect_request.program, '\x1b', sizeof connect_request.program);
  auto const parsed = parse(connect_request);
  REQUIRE(parsed);
  CHECK(parsed->program == std::string(sizeof connect_request.program, '?'));
  std::memset(connect_request.domain, 'd', sizeof connect_request.domain);
  CHECK_FALSE(parse(connect_request));
}
