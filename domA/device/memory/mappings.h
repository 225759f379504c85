// SPDX-License-Identifier: Apache-2.0
// Memory that a program maps itself: addresses that it reserved, memory without addresses that it created, and which
// of it is mapped where. The same for all kinds of accelerators; what differs is the MappingBacking.
//
// Memory is charged from its creation until its handle is released and it is mapped nowhere. What is mapped and
// accessible is in the task's Ranges, and evicted with them. Neighbours are one range there, as an access may cross the
// border of two mappings.
#pragma once

#include "domA/device/device.h"
#include "domA/device/memory/mapping_backing.h"
#include "domA/device/memory/ranges.h"
#include "domA/device/memory/task_memory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace pegasus::memory {

class Mappings {
public:
  using Status = device::Status;

  // Bounds of the memory that a guest can make us use for our records. More are answered with out_of_memory.
  static constexpr std::size_t most_reservations = 1 << 14, most_allocations = 1 << 16;

  // All of them must outlive it.
  Mappings(Ranges& ranges, MappingBacking& backing, TaskMemory& task)
      : ranges_(ranges), backing_(backing), task_(task) {}
  ~Mappings() { close(); }
  Mappings(Mappings const&) = delete;
  Mappings& operator=(Mappings const&) = delete;

  // As for the functions of device::Context.
  Status reserve(std::uint64_t bytes, std::uint64_t alignment, device::Address hint, device::Address& base);
  Status free(device::Range range);
  Status create(std::uint64_t bytes, std::unique_ptr<device::PhysicalMemory>& made);
  Status map(device::Range range, device::PhysicalMemory& memory);
  Status unmap(device::Range range);
  Status set_access(device::Range range, bool accessible);

  // Gives all of it back to the device. The handles are gone, and nothing of the task executes any more.
  void close();

private:
  using Id = std::uint64_t; // of an allocation; never used again
  class Handle;
  struct Allocation {
    MappingBacking::MemoryId memory = 0;
    std::uint64_t bytes = 0;
    std::uint64_t zeroed = 0; // its first bytes, which were accessible before
    bool held = true;         // its handle exists
    bool mapped = false;
  };
  struct Mapping {
    std::uint64_t bytes = 0;
    Id of = 0;
    bool accessible = false;
  };
  using Placed = std::map<device::Address, Mapping>;

  [[nodiscard]] bool reserved(device::Range range) const; // all of it in one reservation
  [[nodiscard]] bool overlaps(device::Range range) const; // a mapping
  // The range is whole mappings, without a gap.
  [[nodiscard]] bool whole_mappings(device::Range range) const;
  [[nodiscard]] Status give_access(device::Address base, Mapping& mapping);
  [[nodiscard]] Status take_access(device::Address base, Mapping& mapping);
  [[nodiscard]] Status unmap_one(Placed::iterator at);
  [[nodiscard]] bool enter(device::Range piece); // into the ranges
  void leave(device::Range piece);
  void let_go(Id id); // its handle is gone
  void destroy(Id id);

  Ranges& ranges_;
  MappingBacking& backing_;
  TaskMemory& task_;
  std::map<device::Address, std::uint64_t> reservations_; // base -> bytes, as the program gave them
  std::uint64_t reserved_bytes_ = 0;                      // in whole granules
  std::map<Id, Allocation> allocations_;
  Placed placed_;
  Id last_id_ = 0;
};

} // namespace pegasus::memory
