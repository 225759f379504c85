// SPDX-License-Identifier: Apache-2.0
#include "cli/wrap.h"

#include <catch2/catch.hpp>

using namespace pegasus::cli;
using Lines = std::vector<std::string>;

TEST_CASE("lines end between words") {
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 6) == Lines{"one", "two", "three"});
  CHECK(wrap("one two three", 13) == Lines{"one two three"});
  CHECK(wrap("", 10).empty());
}

TEST_CASE("a word that is too wide has a line for itself") {
  CHECK(wrap("a $XDG_RUNTIME_DIR/pegasus b", 10) == Lines{"a", "$XDG_RUNTIME_DIR/pegasus", "b"});
  CHECK(wrap("abc", 0) == Lines{"abc"});
}

TEST_CASE("a newline begins a line, and blanks do not add up") {
  CHECK(wrap("one\ntwo  three", 20) == Lines{"one", "two three"});
  CHECK(wrap("one\n\ntwo", 20) == Lines{"one", "", "two"});
}

TEST_CASE("letters outside ASCII count once") {
  CHECK(wrap("gr\xc3\xb6\xc3\x9f\x65r gr\xc3\xb6\xc3\x9f\x65", 12) ==
        Lines{"gr\xc3\xb6\xc3\x9f\x65r gr\xc3\xb6\xc3\x9f\x65"});
}

TEST_CASE("further lines are indented, and none is wider than the terminal") {
  CHECK(wrapped("one two three", 2, 9) == "one two\n  three\n");
  CHECK(wrapped("one two", 20, 10) == "one\n" + std::string(20, ' ') + "two\n");
  CHECK(wrapped("", 2, 9).empty());
}
