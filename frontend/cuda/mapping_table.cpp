// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/mapping_table.h"

#include <iterator>

namespace pegasus::driver {

// Never destroyed, as device_memory() is not.
MappingTable& mapped_memory() {
  static MappingTable& table = *new MappingTable;
  return table;
}

MappingRecords::At MappingRecords::containing(std::uint64_t address) {
  auto const behind = mappings.upper_bound(address);
  if (behind == mappings.begin()) return mappings.end();
  auto const at = std::prev(behind);
  return address - at->first < at->second.bytes ? at : mappings.end();
}

bool MappingRecords::touches(std::uint64_t address, std::uint64_t bytes) {
  auto const next = mappings.lower_bound(address);
  return containing(address) != mappings.end() || (next != mappings.end() && next->first - address < bytes);
}

bool MappingRecords::whole(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return false;
  for (auto at = mappings.find(address); at != mappings.end() && at->first == address; ++at) {
    if (at->second.bytes >= bytes) return at->second.bytes == bytes;
    address += at->second.bytes;
    bytes -= at->second.bytes;
  }
  return false;
}

std::optional<Allocation> MappingTable::find(std::uint64_t address) {
  return with_records([&](MappingRecords& records) -> std::optional<Allocation> {
    auto const at = records.containing(address);
    if (at == records.mappings.end()) return std::nullopt;
    auto const& [base, mapping] = *at;
    unsigned const access =
        mapping.accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return Allocation{.base = base,
                      .bytes = mapping.bytes,
                      .origin = Allocation::Origin::reserved,
                      .flags = access,
                      .id = mapping.id};
  });
}

bool MappingTable::accessible(std::uint64_t address, std::uint64_t bytes) {
  return with_records([&](MappingRecords& records) {
    for (;;) {
      auto const at = records.containing(address);
      if (at == records.mappings.end() || !at->second.accessible) return false;
      std::uint64_t const left = at->second.bytes - (address - at->first);
      if (bytes <= left) return true;
      address += left;
      bytes -= left;
    }
  });
}

void MappingTable::forget_older() {
  if (epoch_ == device_epoch()) return;
  epoch_ = device_epoch();
  records_ = {};
}

} // namespace pegasus::driver
