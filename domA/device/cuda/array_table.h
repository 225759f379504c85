// SPDX-License-Identifier: Apache-2.0
// The arrays of one context, by the addresses that its program has for them. There is no memory at these addresses:
// they are beyond any that a driver gives, which have at most 57 bits, and no address is given twice.
#pragma once

#include "domA/device/cuda/array_boxes.h"
#include "domA/device/cuda/driver.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace pegasus::cuda {

struct ArrayLevel {
  CUarray handle = nullptr;
  std::uint64_t offset = 0; // from the array's first address
  Grid grid;
};

struct DriverArray {
  device::ArrayShape shape;
  CUmipmappedArray mipmap = nullptr; // of more than one level: it owns their handles
  std::vector<ArrayLevel> levels;
  std::uint64_t charged = 0;
};

// An address in a level.
struct InLevel {
  DriverArray const* array = nullptr;
  ArrayLevel const* level = nullptr;
  std::uint64_t offset = 0; // from the level's first byte
};

class ArrayTable {
public:
  static constexpr device::Address first_address = device::Address{1} << 60;

  // Returns its address; 0: there are no more.
  [[nodiscard]] device::Address add(DriverArray array);
  void remove(device::Address base) { arrays_.erase(base); }

  [[nodiscard]] DriverArray const* find(device::Address base) const; // nullptr: none begins there
  [[nodiscard]] std::optional<InLevel> at(device::Address address) const;
  [[nodiscard]] std::map<device::Address, DriverArray> const& all() const { return arrays_; }

private:
  device::Address next_ = first_address;
  std::map<device::Address, DriverArray> arrays_;
};

} // namespace pegasus::cuda
