// SPDX-License-Identifier: Apache-2.0
// What the program created and mapped itself, where it reserved addresses (MemoryTable has those). The worker checks
// each call again; with this, questions and wrong copies need no worker.
#pragma once

#include "frontend/cuda/memory_table.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace pegasus::driver {

// cuMemCreate's. Its handle is the worker's, and lives while it has references or is mapped.
struct PhysicalMemory {
  std::uint64_t bytes = 0;
  CUmemAllocationProp properties{};
  unsigned references = 1;
  bool mapped = false;
};

struct Mapping {
  std::uint64_t bytes = 0;
  CUmemGenericAllocationHandle memory = 0;
  std::uint64_t id = 0;
  bool accessible = false;
};

// Of one device context (device_epoch()).
struct MappingRecords {
  std::map<CUmemGenericAllocationHandle, PhysicalMemory> memory;
  std::map<std::uint64_t, Mapping> mappings; // by address

  using At = std::map<std::uint64_t, Mapping>::iterator;
  [[nodiscard]] At containing(std::uint64_t address); // end(): nothing is mapped there
  [[nodiscard]] bool touches(std::uint64_t address, std::uint64_t bytes);
  // The range is whole mappings, without a gap.
  [[nodiscard]] bool whole(std::uint64_t address, std::uint64_t bytes);
};

// Thread-safe.
class MappingTable {
public:
  // The call that changes them is made under the lock, too.
  template <class Body> auto with_records(Body body) {
    std::lock_guard lock(mutex_);
    forget_older();
    return body(records_);
  }
  // The mapping that contains the address; its flags are its CUmemAccess_flags.
  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address);
  [[nodiscard]] bool accessible(std::uint64_t address, std::uint64_t bytes); // to the device, all of it

private:
  void forget_older();

  std::mutex mutex_;
  MappingRecords records_;
  std::uint64_t epoch_ = 0;
};

MappingTable& mapped_memory();

} // namespace pegasus::driver
