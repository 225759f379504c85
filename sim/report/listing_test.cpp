// SPDX-License-Identifier: Apache-2.0
#include "sim/report/listing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

using namespace pegasus::sim;

namespace {

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("numbers in names are compared as numbers") {
  CHECK(natural_less("fleig-fig5.2-lud", "fleig-fig5.10-lud"));
  CHECK_FALSE(natural_less("fleig-fig5.10-lud", "fleig-fig5.2-lud"));
  CHECK(natural_less("fig3c-a", "fig4-a"));
  CHECK(natural_less("fig3", "fig3-a"));
  CHECK(natural_less("a", "b"));
  CHECK_FALSE(natural_less("a1", "a1"));
}

TEST_CASE("a list says what varies, not how a scenario's file writes it") {
  std::string const list = list_of_scenarios(0);
  CHECK(list.find('$') == std::string::npos);
  CHECK_THAT(list, Catch::Contains(
                       "fleig-fig5.9-nn          Fleig, figure 5.9: NN beside a VM with 1 to 8 throttles\n"));
  CHECK_THAT(list, Catch::Contains("with kernels of 100us, 400us, 700us, 1000us\n"));
}

TEST_CASE("a list has no more columns than there are") {
  std::vector<std::string> const wide = lines_of(list_of_scenarios(0));
  for (std::size_t const columns : {100U, 70U}) {
    std::vector<std::string> const lines = lines_of(list_of_scenarios(columns));
    CHECK(lines.size() > wide.size());
    std::string words;
    for (std::string const& line : lines) {
      CHECK(line.size() <= columns);
      if (!words.empty()) words += line.starts_with(' ') ? " " : "\n";
      words += line.starts_with(' ') ? line.substr(line.find_first_not_of(' ')) : line;
    }
    CHECK(lines_of(words) == wide);
  }
}
