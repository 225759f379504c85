// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/escape.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim::html;

TEST_CASE("HTML's special characters are escaped in elements and attributes") {
  CHECK(escaped("<script>alert('a & \"b\"')</script>") ==
        "&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)&lt;/script&gt;");
  CHECK(escaped("vm 1, \xc3\xa4") == "vm 1, \xc3\xa4");
}

TEST_CASE("control characters do not reach a page") {
  using namespace std::string_literals;
  CHECK(escaped("a\0b\x1b\x7f"s) == "a\xef\xbf\xbd"
                                    "b\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(escaped("a\nb") == "a\nb");
}

TEST_CASE("a long text is cut in the middle, between characters") {
  CHECK(shortened("abcd", 4) == "abcd");
  CHECK(shortened("abcde", 4) == "ab\xe2\x80\xa6"
                                 "e");
  CHECK(shortened("student-with-a-long-name-17", 18) == "student-w\xe2\x80\xa6-name-17");
  CHECK(shortened("\xc3\xa4\xc3\xb6\xc3\xbc", 3) == "\xc3\xa4\xc3\xb6\xc3\xbc");
  CHECK(shortened("\xc3\xa4\xc3\xb6\xc3\xbc", 2) == "\xc3\xa4\xe2\x80\xa6");
  CHECK(shortened("", 2).empty());
}

TEST_CASE("a word of a command is one word of a shell") {
  CHECK(shell_word("sim/mine.toml") == "sim/mine.toml");
  CHECK(shell_word("xc hold=10ms") == "'xc hold=10ms'");
  CHECK(shell_word("it's; rm") == "'it'\\''s; rm'");
  CHECK(shell_word("") == "''");
}
