// SPDX-License-Identifier: Apache-2.0
// What several seeds say of a value: its mean and the interval in which it is with 95 % confidence.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace pegasus::sim {

struct Estimate {
  double mean = 0;
  std::optional<double> interval; // 95 % confidence: the mean, more or less this; nullopt of one value
};

// By Student's t; nullopt without values.
[[nodiscard]] std::optional<Estimate> estimate_of(std::span<double const> values);

// The 97.5 % quantile of Student's t distribution. Between two rows of its table, that of the row
// with fewer degrees of freedom, which is the wider interval.
[[nodiscard]] double student_t(std::size_t degrees_of_freedom);

} // namespace pegasus::sim
