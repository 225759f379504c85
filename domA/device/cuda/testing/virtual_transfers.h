// SPDX-License-Identifier: Apache-2.0
// For tests: transfers on a driver in virtual time, and a gate that is looked at while time passes.
#pragma once

#include "domA/device/cuda/testing/virtual_driver.h"
#include "domA/device/cuda/transfers.h"

namespace pegasus::cuda::testing {

struct VirtualTransfers {
  Timeline time;
  Driver driver;
  WorkQueue queue{driver, false, 2, nullptr, [] { return timeline->now; }};
  TaskState state{driver, queue, -1};
  memory::Ranges ranges;
  Transfers transfers{driver, queue, ranges, state};

  VirtualTransfers() : driver(driver_on(time)) {}

private:
  static Driver driver_on(Timeline& time) {
    timeline = &time;
    return driver_in_virtual_time();
  }
};

// Time passes with each look.
struct GateSlice final : device::TimeSlice {
  bool closed = false;
  bool over() const override {
    timeline->now += Nanos(100'000);
    return closed;
  }
};

} // namespace pegasus::cuda::testing
