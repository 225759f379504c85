// SPDX-License-Identifier: Apache-2.0
// Copies from the host that the device may still read: an event behind each, queried in the
// order of submission.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/device.h"

#include <deque>
#include <vector>

namespace pegasus::cuda {

class HostReadQueue {
public:
  explicit HostReadQueue(Driver const& driver) : driver_(driver) {}
  ~HostReadQueue() { close(); }
  HostReadQueue(HostReadQueue const&) = delete;
  HostReadQueue& operator=(HostReadQueue const&) = delete;

  // Waits, and destroys its events; the context must still exist.
  void close();

  // Call it after a copy was submitted to `stream`. If no event can be created, it waits and counts nothing.
  [[nodiscard]] CUresult add(CUstream stream);
  // Checks which copies were read since the last call. An error of the device ends them all.
  [[nodiscard]] CUresult collect();
  [[nodiscard]] CUresult finish(); // waits for all of them
  [[nodiscard]] device::HostReads counts() const { return {begun_, begun_ - reading_.size()}; }

private:
  [[nodiscard]] CUresult take_while_done(CUresult (*ask)(CUevent));

  Driver const& driver_;
  std::deque<CUevent> reading_;
  std::vector<CUevent> spare_;
  std::uint64_t begun_ = 0;
};

} // namespace pegasus::cuda
