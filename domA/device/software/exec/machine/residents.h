// SPDX-License-Identifier: Apache-2.0
// The blocks of a grid that have started and not ended. Blocks are usually run one after the other; one that
// runs long while others have not started may be waiting for them, so it then shares the time with some.
#pragma once

#include "domA/device/software/exec/machine/launch_state.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace pegasus::software {

class Residents {
public:
  explicit Residents(LaunchState& state);

  // Runs the grid to its end or to the first fault, which LaunchState::outcome then has. false: the turn was
  // over and no block is half done. A cooperative grid begins as a whole, and does not stop before its end.
  bool run(device::Turn const& turn);

private:
  bool admit();
  bool admit_all();
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] std::int64_t budget() const;
  bool run_all(); // each for a while; false: a fault

  LaunchState& state_;
  std::uint64_t blocks_;
  std::uint64_t promised_; // so many are resident at a time, if there are so many
  std::uint64_t next_ = 0;
  std::vector<std::unique_ptr<Block>> running_, idle_;
  std::uint64_t cost_ = 0; // bytes of host memory for each
};

} // namespace pegasus::software
