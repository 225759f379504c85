// SPDX-License-Identifier: Apache-2.0
// Time slices that do not end, or end when a test says so.
#pragma once

#include "domA/device/device.h"

namespace pegasus::testing {

class EndlessSlice final : public device::TimeSlice {
public:
  bool over() const override { return false; }
};

// Not over for the first `looks` calls of over().
class CountedSlice final : public device::TimeSlice {
public:
  explicit CountedSlice(unsigned looks) : looks_(looks) {}
  bool over() const override { return looks_ == 0 || looks_-- == 0; }

private:
  mutable unsigned looks_;
};

} // namespace pegasus::testing
