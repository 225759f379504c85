// SPDX-License-Identifier: Apache-2.0
#include "control/framing.h"

#include <catch2/catch.hpp>

using namespace pegasus::control;

TEST_CASE("a frame is four bytes of length, little-endian, and the message") {
  CHECK(frame("").value() == std::string(4, '\0'));
  CHECK(frame("abc").value() == std::string("\x03\0\0\0abc", 7));
  std::string const body(0x01'02'03, 'x');
  CHECK(frame(body).value() == std::string("\x03\x02\x01\0", 4) + body);
}

TEST_CASE("lengths read back") {
  CHECK(body_length({0, 0, 0, 0}) == 0);
  CHECK(body_length({0x03, 0x02, 0x01, 0x00}) == 0x010203);
  CHECK(body_length({0, 0, 0x10, 0}) == max_message);
  CHECK(body_length({0xff, 0xff, 0xff, 0xff}) == 0xffff'ffff);
}

TEST_CASE("a message beyond the limit is not framed") {
  CHECK(frame(std::string(max_message, 'x')).value().size() == max_message + 4);
  CHECK_FALSE(frame(std::string(max_message + 1, 'x')));
}
