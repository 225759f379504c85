// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/output_buffer.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pegasus::software;
using Kind = OutputBuffer::Kind;

TEST_CASE("output comes back oldest first and one kind at a time") {
  OutputBuffer buffer;
  CHECK_FALSE(buffer.pending());
  CHECK(buffer.take(100).text.empty());
  buffer.add(Kind::printf_text, "one ", 100);
  buffer.add(Kind::printf_text, "two", 100);
  buffer.add(Kind::diagnostic, "fault", 100);
  buffer.add(Kind::printf_text, "three", 100);
  buffer.add(Kind::printf_text, "", 100);
  CHECK(buffer.take(0).text.empty());
  auto const first = buffer.take(5);
  CHECK(first.kind == Kind::printf_text);
  CHECK(first.text == "one t");
  CHECK(buffer.take(5).text == "wo");
  auto const second = buffer.take(5);
  CHECK(second.kind == Kind::diagnostic);
  CHECK(second.text == "fault");
  CHECK(buffer.pending_bytes(Kind::printf_text) == 5);
  CHECK(buffer.take(5).text == "three");
  CHECK_FALSE(buffer.pending());
  CHECK(buffer.pending_bytes(Kind::printf_text) == 0);
}

TEST_CASE("what does not fit is lost, and the loss is told once") {
  OutputBuffer buffer;
  buffer.add(Kind::printf_text, std::string(90, 'a'), 100);
  buffer.add(Kind::printf_text, std::string(90, 'b'), 100);
  buffer.add(Kind::printf_text, std::string(90, 'c'), 100);
  CHECK(buffer.pending_bytes(Kind::printf_text) == 100);
  CHECK(buffer.take(1000).text == std::string(90, 'a') + std::string(10, 'b'));
  auto const told = buffer.take(1000);
  CHECK(told.kind == Kind::diagnostic);
  CHECK(told.text.find("printf output was lost") != std::string::npos);
  CHECK_FALSE(buffer.pending());

  for (int i = 0; i < 1000; ++i)
    buffer.add(Kind::diagnostic, "the same again\n", 1000);
  CHECK(buffer.pending_bytes(Kind::diagnostic) < 1200);
}
