// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/schedule.h"

namespace pegasus::xen {

std::unique_ptr<Schedule> Schedule::open(Clock) { return nullptr; }

} // namespace pegasus::xen
