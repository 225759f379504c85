// SPDX-License-Identifier: Apache-2.0
#include "ctl/client/framing.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("a frame is four bytes of length, little-endian, and the message") {
  CHECK(frame("").value() == std::string(4, '\0'));
  CHECK(frame("abc").value() == std::string("\x03\0\0\0abc", 7));
  std::string const body(0x01'02'03, 'x');
  CHECK(frame(body).value() == std::string("\x03\x02\x01\0", 4) + body);
}

TEST_CASE("lengths read back, up to the limit") {
  CHECK(body_length({0, 0, 0, 0}).value() == 0);
  CHECK(body_length({0x03, 0x02, 0x01, 0x00}).value() == 0x010203);
  CHECK(body_length({0, 0, 0x10, 0}).value() == message_max);
  CHECK(body_length({1, 0, 0x10, 0}).error().kind == FailureKind::broken);
  CHECK(body_length({0xff, 0xff, 0xff, 0xff}).error().kind == FailureKind::broken);
}

TEST_CASE("a message beyond the limit is not sent") {
  CHECK(frame(std::string(message_max, 'x')).value().size() == message_max + 4);
  CHECK(frame(std::string(message_max + 1, 'x')).error().kind == FailureKind::usage);
}
