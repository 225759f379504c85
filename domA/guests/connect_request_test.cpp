// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/connect_request.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <vector>

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

TEST_CASE("a valid connect request is parsed") {
  auto const connect_request = parse(good_connect_request());
  REQUIRE(connect_request);
  CHECK(connect_request->process == 42);
  CHECK(connect_request->domain == "dom1");
  CHECK(connect_request->program == "vectorAdd");
}

TEST_CASE("the newest version that both speak is chosen") {
  auto const [oldest, newest, here_oldest, here_newest, chosen] =
      GENERATE(table<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>({
          {1, 1, 1, 2, 1},
          {1, 2, 1, 2, 2},
          {2, 2, 1, 2, 2},
          {1, 9, 1, 2, 2},
          {2, 9, 1, 2, 2},
          {1, 2, 2, 5, 2},
          {3, 9, 1, 2, 0},
          {1, 2, 3, 5, 0},
          {0, 0, 1, 2, 0},
          {0xffffffff, 0xffffffff, 1, 2, 0},
      }));
  INFO(oldest << " to " << newest << ", here " << here_oldest << " to " << here_newest);
  CHECK(common_version({oldest, newest}, {here_oldest, here_newest}).value_or(0) == chosen);
}

TEST_CASE("a guest of any release is answered in the newest version that it speaks") {
  pegasus_connect_request connect_request = good_connect_request();
  auto const agreement = [&] { return parse(connect_request)->agreement; };
  CHECK(agreement().version == PEGASUS_PROTOCOL_VERSION);
  connect_request.version = PEGASUS_PROTOCOL_VERSION + 7;
  connect_request.oldest = PEGASUS_PROTOCOL_VERSION;
  connect_request.features = 0xffffffff;
  CHECK(agreement().version == PEGASUS_PROTOCOL_VERSION);
  CHECK(agreement().features == features_here);
  connect_request.version = 1;
  connect_request.oldest = 0;
  auto const first = std::as_bytes(std::span(&connect_request, 1)).first(PEGASUS_CONNECT_REQUEST_BYTES_1);
  CHECK(parse_connect_request(first)->agreement.version == 1);
  CHECK(parse_connect_request(first)->program == "vectorAdd");
}

TEST_CASE("without a common version an operator is told both ranges, and what to upgrade") {
  pegasus_connect_request connect_request = good_connect_request();
  connect_request.version = 9;
  auto const refused = [&] {
    auto const parsed = parse(connect_request);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().error == EPROTONOSUPPORT);
    CHECK(make_rejection(parsed.error()).version == PEGASUS_PROTOCOL_VERSION);
    return parsed.error().message;
  };
  for (std::uint32_t const oldest : {0u, 9u}) { // 0: the same as `version`
    connect_request.oldest = oldest;
    CHECK(refused() == "this program's guest libraries speak protocol version 9, pegasusd speaks versions 1 "
                       "to 2: upgrade pegasusd");
  }
  connect_request.oldest = 4;
  CHECK(refused().find("speak protocol versions 4 to 9, pegasusd") != std::string::npos);
  CHECK(
      no_common_version({1, 1}, {2, 3}) ==
      "this program's guest libraries speak protocol version 1, pegasusd speaks versions 2 to 3: upgrade the "
      "guest libraries");
}

TEST_CASE("an empty range of versions is refused") {
  pegasus_connect_request connect_request = good_connect_request();
  connect_request.oldest = connect_request.version + 1;
  CHECK(parse(connect_request).error().error == EPROTO);
}

TEST_CASE("every refusal is in the version that was agreed, and in version 1 if none was yet") {
  pegasus_connect_request connect_request = good_connect_request();
  connect_request.kind = 7;
  CHECK(make_rejection(parse(connect_request).error()).version == PEGASUS_PROTOCOL_VERSION);
  connect_request.version = 1;
  CHECK(make_rejection(parse(connect_request).error()).version == 1);
  CHECK(make_rejection({ETIMEDOUT, "silence"}).version == 1);
}

TEST_CASE("a guest of version 1 gets the reply that it knows") {
  pegasus_connect_reply reply = make_connect_reply();
  agree(reply, {1, 0});
  CHECK(bytes_of(reply).size() == 1216);
  CHECK(reply.features == 0);
  agree(reply, {2, 0});
  CHECK(bytes_of(reply).size() == sizeof reply);
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

TEST_CASE("a shorter packet has zeros at its end, a longer one something that is not known here") {
  pegasus_connect_request connect_request = good_connect_request();
  connect_request.oldest = 1;
  std::vector<std::byte> packet(PEGASUS_CONNECT_BYTES_MAX + 1, std::byte{0x5a});
  std::memcpy(packet.data(), &connect_request, sizeof connect_request);
  for (std::size_t length = 0; length <= packet.size(); ++length) {
    INFO(length);
    bool const right = length >= PEGASUS_CONNECT_REQUEST_BYTES_1 && length <= PEGASUS_CONNECT_BYTES_MAX;
    REQUIRE(parse_connect_request(std::span(packet).first(length)).has_value() == right);
  }
}

TEST_CASE("what has another magic is not a connect request") {
  pegasus_connect_request wrong = good_connect_request();
  wrong.magic++;
  CHECK(parse(wrong).error().error == EPROTO);
}

TEST_CASE("names without a terminator or with control characters are refused or made printable") {
  pegasus_connect_request connect_request = good_connect_request();
  std::memset(connect_request.program, '\x1b', sizeof connect_request.program);
  auto const parsed = parse(connect_request);
  REQUIRE(parsed);
  CHECK(parsed->program == std::string(sizeof connect_request.program, '?'));
  std::memset(connect_request.domain, 'd', sizeof connect_request.domain);
  CHECK_FALSE(parse(connect_request));
}
