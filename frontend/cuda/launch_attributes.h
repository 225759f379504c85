// SPDX-License-Identifier: Apache-2.0
// The attributes of launches (CUlaunchAttribute). On devices with thread block clusters they travel with the
// launch. Other devices have no clusters, and the rest are hints, which are ignored there.
#pragma once

#include "frontend/cuda/launch_check.h"

namespace pegasus::driver {

bool has_clusters(Channel const& channel);

// Adds one attribute to a launch. Attributes that are about events or graphs are the caller's matter.
CUresult set_launch_attribute(Channel const& channel, CUlaunchAttributeID id,
                              CUlaunchAttributeValue const& value, LaunchShape& shape, bool& cooperative);
// The value that was set; all zero for an attribute that was not, or is ignored.
CUlaunchAttributeValue get_launch_attribute(CUlaunchAttributeID id, LaunchShape const& shape,
                                            bool cooperative);

} // namespace pegasus::driver
