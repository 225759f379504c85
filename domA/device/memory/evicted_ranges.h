// SPDX-License-Identifier: Apache-2.0
// What ranges held on the device, while it is in host memory. It moves in batches of some megabytes: small ranges share
// one, a large range is in several, and no more than a batch is ever there twice.
#pragma once

#include "base/zeroed_memory.h"
#include "domA/device/memory/backing.h"
#include "domA/device/memory/ranges.h"

#include <cstdint>
#include <vector>

namespace pegasus::memory {

class EvictedRanges {
public:
  using Status = device::Status;

  // Copies what is behind the ranges, from the lowest address on, and unmaps it; continues behind what is evicted
  // already. Until restore() has succeeded the ranges must stay the same. After a failure a part is evicted.
  [[nodiscard]] Status evict(Ranges const& ranges, Backing& backing);
  // The reverse, from the highest address on. After a failure a part is still evicted.
  [[nodiscard]] Status restore(Backing& backing);

  [[nodiscard]] std::uint64_t bytes() const {
    return bytes_;
  } // as they are charged while they are on the device

private:
  using Pieces = std::vector<Ranges::Charged>; // of ranges
  struct Batch {
    Pieces pieces;
    base::ZeroedMemory copy; // of one behind the other
  };
  [[nodiscard]] std::vector<Pieces> left(Ranges const& ranges) const;
  [[nodiscard]] Status evict(Pieces const& pieces, Backing& backing);
  [[nodiscard]] Status restore(Batch& batch, Backing& backing);

  std::vector<Batch> batches_; // by address
  std::uint64_t bytes_ = 0;
};

} // namespace pegasus::memory
