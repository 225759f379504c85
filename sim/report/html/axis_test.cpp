// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/axis.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim::html;

namespace {

std::vector<std::string> labels(Axis const& axis) {
  std::vector<std::string> labels;
  for (Tick const& tick : axis.ticks())
    labels.push_back(tick.label);
  return labels;
}

} // namespace

TEST_CASE("a linear axis has round ticks up to its greatest value") {
  Axis const axis = Axis::linear(0.97, 100, 200);
  CHECK(labels(axis) == std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1"});
  CHECK(axis.place(0) == 100);
  CHECK(axis.place(0.5) == Approx(150));
  CHECK(axis.place(7) == 200);
  CHECK(labels(Axis::linear(4.2, 0, 1)) == std::vector<std::string>{"0", "1", "2", "3", "4", "5"});
  CHECK(labels(Axis::linear(0, 0, 1)).back() == "1");
}

TEST_CASE("an exact axis ends with its greatest value") {
  Axis const axis = Axis::exact(63.4, 0, 634);
  CHECK(labels(axis) == std::vector<std::string>{"0", "10", "20", "30", "40", "50", "60"});
  CHECK(axis.place(60) == Approx(600));
}

TEST_CASE("a logarithmic axis has whole decades") {
  Axis const axis = Axis::logarithmic(40, 2000, 0, 300);
  CHECK(labels(axis) == std::vector<std::string>{"10 us", "100 us", "1 ms", "10 ms"});
  CHECK(axis.place(0) == 0);
  CHECK(axis.place(10) == Approx(0));
  CHECK(axis.place(100) == Approx(100));
  CHECK(axis.place(500) == Approx(169.897));
  CHECK(axis.place(10000) == Approx(300));
  CHECK(labels(Axis::logarithmic(0, 0, 0, 1)) == std::vector<std::string>{"1 us", "2 us", "5 us", "10 us"});
}
