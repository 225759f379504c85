// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/memory/heap.h"

#include <algorithm>

namespace pegasus::software {

DeviceHeap::~DeviceHeap() {
  if (base_ != 0) static_cast<void>(memory_.free(base_));
}

Address DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes > bytes_) return 0;
  if (base_ == 0) {
    base_ = memory_.allocate(bytes_);
    if (base_ == 0) return 0;
    idle_.emplace(0, bytes_);
  }
  std::uint64_t const need = (std::max<std::uint64_t>(bytes, 1) + 15) / 16 * 16;
  auto const fit =
      std::find_if(idle_.begin(), idle_.end(), [need](auto const& e) { return e.second >= need; });
  if (fit == idle_.end()) return 0;
  std::uint64_t const offset = fit->first, left = fit->second - need;
  idle_.erase(fit);
  if (left != 0) idle_.emplace(offset + need, left);
  live_.emplace(offset, need);
  return base_ + offset;
}

bool DeviceHeap::free(Address address) {
  auto const it = live_.find(address - base_);
  if (base_ == 0 || address < base_ || it == live_.end()) return false;
  auto [offset, bytes] = *it;
  live_.erase(it);
  if (auto const after = idle_.find(offset + bytes); after != idle_.end()) {
    bytes += after->second;
    idle_.erase(after);
  }
  auto before = idle_.lower_bound(offset);
  if (before != idle_.begin() && (--before)->first + before->second == offset) {
    before->second += bytes;
    return true;
  }
  idle_.emplace(offset, bytes);
  return true;
}

} // namespace pegasus::software
