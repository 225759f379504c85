// SPDX-License-Identifier: Apache-2.0
// The scale of a plot: where values and ticks are. Only additions, multiplications and divisions, so that the
// same values are at the same place on any machine.
#pragma once

#include <string>
#include <vector>

namespace pegasus::sim::html {

struct Tick {
  double value;
  std::string label;
};

class Axis {
public:
  // From 0 to at least `greatest`.
  static Axis linear(double greatest, double begin, double end);
  // From 0 to `greatest` and no further.
  static Axis exact(double greatest, double begin, double end);
  // Of times in microseconds: decades, from the one of `least` to that after `greatest`; straight between whole
  // multiples of a power of ten. Values of 0 and less are at its begin.
  static Axis logarithmic(double least, double greatest, double begin, double end);

  // `begin` and `end` are places on the page, in its units.
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] double place(double value) const; // within begin and end
  [[nodiscard]] std::vector<Tick> ticks() const;

private:
  Axis(double begin, double end) : begin_(begin), end_(end) {}

  double begin_, end_;
  double greatest_ = 1;
  double step_ = 1;
  int decade_ = 0;  // the first
  int decades_ = 0; // 0: linear
};

// 1, 2 or 5 times a power of ten, such that `span`, which is positive, has between 3 and 8 of them.
[[nodiscard]] double tick_step(double span);

} // namespace pegasus::sim::html
