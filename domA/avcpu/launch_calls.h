// SPDX-License-Identifier: Apache-2.0
// Launches, and questions about launches.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

#include <cstddef>
#include <vector>

namespace pegasus::avcpu {

class LaunchCalls {
public:
  explicit LaunchCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_launch_request const& request, Data const& data, device::Function* function,
            device::Stream* stream);
  Status on(pegasus_launch_with_attributes_request const& request, Data const& data,
            device::Function* function, device::Stream* stream);
  Status on(pegasus_cluster_occupancy_request const& request, Data const&, device::Function* function,
            pegasus_cluster_occupancy_reply& reply);
  void abandon() { staging_ = {}; }

private:
  Status launch(pegasus_launch_request const&, device::LaunchAttributes const&, Data const&,
                device::Function&, device::Stream*);

  Objects& objects_;
  std::vector<std::byte> staging_; // parameters of the launch
};

} // namespace pegasus::avcpu
