// SPDX-License-Identifier: Apache-2.0
// The blocks of a grid that have started but not ended. Blocks usually run one at a time. A block that runs
// long while others have not started may be waiting for them; it then shares the time with some of them.
#pragma once

#include "domA/device/software/exec/machine/launch_state.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace pegasus::software {

class Residents {
public:
  explicit Residents(LaunchState& state);

  // Runs the grid to its end or to the first fault, which is then in LaunchState::outcome. Returns false if
  // the time slice was over and no block is partly executed. A cooperative grid starts as a whole, and does
  // not stop before its end.
  bool run(device::TimeSlice const& slice);

private:
  bool admit();
  bool admit_all();
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] std::int64_t budget() const;
  bool run_all(); // each for a while; returns false on a fault

  LaunchState& state_;
  std::uint64_t blocks_;
  std::uint64_t promised_; // the number of blocks resident at a time, if the grid has that many
  std::uint64_t next_ = 0;
  std::vector<std::unique_ptr<Block>> running_, idle_;
  std::uint64_t cost_ = 0; // bytes of host memory per block
};

} // namespace pegasus::software
