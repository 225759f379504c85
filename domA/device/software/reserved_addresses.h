// SPDX-License-Identifier: Apache-2.0
// Which of the addresses for what is mapped (Memory::mappable) are taken. Only numbers: nothing lies behind them here.
#pragma once

#include "domA/device/device.h"

#include <cstdint>
#include <map>

namespace pegasus::software {

class ReservedAddresses {
public:
  // All of its addresses are free. A multiple of the mapping granule, as all ranges here.
  explicit ReservedAddresses(device::Range all);

  // At the hint if they are free there, else at the lowest multiple of `alignment`, a power of two; 0: there are none.
  [[nodiscard]] device::Address take(std::uint64_t bytes, std::uint64_t alignment, device::Address hint);
  void give_back(device::Range taken);

private:
  using Free = std::map<device::Address, std::uint64_t>;
  // The lowest address at or above `from` in the free range where so many bytes fit; 0: they do not.
  static device::Address fit(Free::value_type const& free, std::uint64_t bytes, std::uint64_t alignment,
                             device::Address from);
  void cut(Free::iterator free, device::Range taken);

  Free free_; // base -> bytes; no two of them touch
};

} // namespace pegasus::software
