// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/axis.h"

#include "sim/report/units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace pegasus::sim::html {
namespace {

double power_of_ten(int exponent) {
  double power = 1;
  for (; exponent > 0; --exponent)
    power *= 10;
  for (; exponent < 0; ++exponent)
    power /= 10;
  return power;
}

// The greatest one whose power is not more than `value`, which is positive.
int decade_of(double value) {
  int decade = 0;
  while (decade < 15 && power_of_ten(decade + 1) <= value)
    ++decade;
  while (decade > -15 && power_of_ten(decade) > value)
    --decade;
  return decade;
}

// The decimal logarithm of 1 to 10.
double logarithm(double value) {
  static constexpr std::array<double, 10> of_whole{0,        0.30103,  0.477121, 0.60206,  0.69897,
                                                   0.778151, 0.845098, 0.90309,  0.954243, 1};
  auto const whole = std::min<std::size_t>(static_cast<std::size_t>(value), 9);
  double const below = of_whole[whole - 1];
  return below + (of_whole[whole] - below) * (value - static_cast<double>(whole));
}

} // namespace

double tick_step(double span) {
  double const power = power_of_ten(decade_of(span));
  if (span / power < 1.6) return power / 5;
  if (span / power < 4) return power / 2;
  return span / power < 8 ? power : 2 * power;
}

Axis Axis::exact(double greatest, double begin, double end) {
  Axis axis(begin, end);
  axis.greatest_ = greatest > 0 ? greatest : 1;
  axis.step_ = tick_step(axis.greatest_);
  return axis;
}

Axis Axis::linear(double greatest, double begin, double end) {
  Axis axis = exact(greatest, begin, end);
  double steps = static_cast<double>(static_cast<int>(axis.greatest_ / axis.step_));
  if (steps * axis.step_ < axis.greatest_ * 0.999) ++steps;
  axis.greatest_ = steps * axis.step_;
  return axis;
}

Axis Axis::logarithmic(double least, double greatest, double begin, double end) {
  Axis axis(begin, end);
  if (!(least > 0)) least = 1;
  axis.decade_ = decade_of(least);
  int const last = decade_of(std::max(least, greatest));
  axis.decades_ = last - axis.decade_ + 1;
  return axis;
}

double Axis::place(double value) const {
  double part = value / greatest_;
  if (decades_ > 0) {
    part = 0;
    if (value > 0) {
      int const decade = decade_of(value);
      double const mantissa = std::clamp(value / power_of_ten(decade), 1.0, 10.0);
      part = (static_cast<double>(decade - decade_) + logarithm(mantissa)) / static_cast<double>(decades_);
    }
  }
  return begin_ + (end_ - begin_) * std::clamp(part, 0.0, 1.0);
}

std::vector<Tick> Axis::ticks() const {
  std::vector<Tick> ticks;
  if (decades_ > 0) {
    for (int i = 0; i <= decades_; ++i)
      for (int const times : {1, 2, 5})
        if (times == 1 || (decades_ <= 2 && i < decades_))
          ticks.push_back({times * power_of_ten(decade_ + i), time_text(times * power_of_ten(decade_ + i))});
    return ticks;
  }
  for (int i = 0; i * step_ <= greatest_ * 1.0001; ++i)
    ticks.push_back({i * step_, fmt::format("{:.6g}", i * step_)});
  return ticks;
}

} // namespace pegasus::sim::html
