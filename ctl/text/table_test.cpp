// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/table.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("columns are as wide as their widest cell, and lines have no trailing blanks") {
  Table table({{"NAME", Align::left}, {"N"}, {"STATE", Align::left}});
  table.add_row({"a", "1", "ok"});
  table.add_row({"longer", "1000", ""});
  CHECK(table.text() == "NAME       N  STATE\n"
                        "a          1  ok\n"
                        "longer  1000\n");
}

TEST_CASE("rows of a wrong length are padded or cut") {
  Table table({{"A", Align::left}, {"B"}});
  table.add_row({});
  table.add_row({"x", "y", "z"});
  CHECK(table.text() == "A  B\n\nx  y\n");
}

TEST_CASE("control characters in a cell are escaped") {
  Table table({{"A", Align::left}});
  table.add_row({"\x1b]0;title\x07\nroot"});
  CHECK(table.text() == "A\n?]0;title??root\n");
}

namespace {

Table of_three() {
  Table table({{"NAME", Align::left},
               {.title = "CALLS", .spared = 1},
               {.title = "STATE", .align = Align::left, .spared = 2}});
  table.add_row({"mandelbrot", "1000", "running"});
  table.add_row({"b", "1", "barred for 0.8 s"});
  return table;
}

} // namespace

TEST_CASE("columns are left out in their order where the terminal is too narrow, and the end says which") {
  Table const table = of_three();
  CHECK(table.text({.columns = 35}) == table.text());
  CHECK(table.left_out({.columns = 35}).empty());
  CHECK(table.text({.columns = 34}) == "NAME        STATE\n"
                                       "mandelbrot  running\n"
                                       "b           barred for 0.8 s\n");
  CHECK(table.left_out({.columns = 34}) == "left out, for want of room: CALLS;\n--wide shows all\n");
  CHECK(table.text({.columns = 20}) == "NAME\nmandelbrot\nb\n");
  CHECK(table.left_out({.columns = 80}).empty());
}

TEST_CASE("without a terminal, or if all is wanted, nothing is left out") {
  Table const table = of_three();
  CHECK(table.text({}) == table.text({.columns = 1000}));
  CHECK(table.text({.wide = true, .columns = 10}) == table.text());
  CHECK(table.left_out({.wide = true, .columns = 10}).empty());
  CHECK(line_beside("policy accc, utilization 50.0 %\n", {.columns = 20}) ==
        "policy accc,\nutilization 50.0 %\n");
  CHECK(line_beside("policy  accc\n", {.columns = 12}) == "policy  accc\n");
  CHECK(line_beside("policy  accc\n", {}) == "policy  accc\n");
}

TEST_CASE("a text is wrapped between words, below itself, when nothing more can be left out") {
  Table table(
      {{"ON"}, {.title = "WHY", .align = Align::left, .text = true}, {.title = "TASKS", .spared = 1}});
  table.add_row({"1", "it waits for 48M of memory", "2"});
  table.add_row({"10", "placed", "3"});
  CHECK(table.text({.columns = 20}) == "ON  WHY\n"
                                       " 1  it waits for 48M\n"
                                       "    of memory\n"
                                       "10  placed\n");
  Table names({{.title = "RAN", .align = Align::left, .text = true}});
  names.add_row({"dom1,dom2,dom3"});
  CHECK(names.text({.columns = 12}) == "RAN\ndom1, dom2,\ndom3\n");
  CHECK(names.text({.columns = 14}) == "RAN\ndom1,dom2,dom3\n");
}
