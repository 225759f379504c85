// SPDX-License-Identifier: Apache-2.0
// For tests: a task that maps memory itself, on a device that records what it is asked for.
#pragma once

#include "domA/device/memory/mappings.h"
#include "domA/device/memory/quota_test_fixture.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pegasus::memory::test {

using device::Address;
using device::Range;
using device::Status;

inline constexpr std::uint64_t unit = device::mapping_granule;
inline constexpr Address first_address = 64 * unit;

// Records what is asked for, and fails at one kind of it as it is told to.
class Device final : public MappingBacking {
public:
  std::uint64_t most_reserved() const override { return most; }
  Status reserve_addresses(std::uint64_t bytes, std::uint64_t, Address, Address& base) override {
    base = lie != 0 ? lie : next;
    if (lie == 0) next += bytes;
    return Status::success;
  }
  Status free_addresses(Range range) override {
    freed.push_back(range.base);
    return Status::success;
  }
  Status create(std::uint64_t, MemoryId& memory) override {
    if (fails == "create") return Status::out_of_memory;
    memory = ++created;
    alive.insert(memory);
    return Status::success;
  }
  Status destroy(MemoryId memory, std::uint64_t) override {
    if (fails == "destroy") return Status::unknown;
    REQUIRE(alive.erase(memory) == 1);
    return Status::success;
  }
  Status map(Range range, MemoryId) override {
    if (fails == "map") return Status::out_of_memory;
    mapped.insert(range.base);
    return Status::success;
  }
  Status unmap(Range range, MemoryId, bool keep) override {
    if (fails == "unmap") return Status::unknown;
    REQUIRE(mapped.erase(range.base) == 1);
    kept = keep;
    return Status::success;
  }
  Status set_access(Range, bool accessible) override {
    return fails == (accessible ? "give" : "take") || fails == "access" ? Status::unknown : Status::success;
  }
  Status zero(Range range) override {
    if (fails == "zero" || fails == "zero and take") {
      if (fails == "zero and take") fails = "take";
      return Status::unknown;
    }
    zeroed.push_back(range);
    return Status::success;
  }
  void lose_task() override { lost = true; }

  std::uint64_t most = 1024 * unit;
  std::string fails;
  Address next = first_address, lie = 0;
  MemoryId created = 0;
  std::set<MemoryId> alive;
  std::set<Address> mapped;
  std::vector<Address> freed;
  std::vector<Range> zeroed;
  bool kept = false, lost = false;
};

class NoAllocations final : public Backing {
public:
  std::uint64_t granule() const override { return 1; }
  Status room(Room&) override { return Status::success; }
  Status reserve(std::uint64_t, Address&) override { return Status::not_supported; }
  Status release(Range) override { return Status::not_supported; }
  Status map(Range) override { return Status::not_supported; }
  Status unmap(Range) override { return Status::not_supported; }
  void lose_task() override {}
};

using Memory = std::unique_ptr<device::PhysicalMemory>;

struct Task {
  QuotaMemory quota{1024 * unit};
  Ranges ranges;
  NoAllocations none;
  TaskMemory memory{ranges, none, quota.take(0, 1, {8 * unit})};
  Device device;
  Mappings mappings{ranges, device, memory};
  Address base = 0;

  Task() { REQUIRE(mappings.reserve(16 * unit, 0, 0, base) == Status::success); }
  Memory create(std::uint64_t units) {
    Memory made;
    REQUIRE(mappings.create(units * unit, made) == Status::success);
    return made;
  }
  Memory place(std::uint64_t at, std::uint64_t units) {
    Memory made = create(units);
    REQUIRE(mappings.map(at_units(at, units), *made) == Status::success);
    return made;
  }
  [[nodiscard]] Range at_units(std::uint64_t at, std::uint64_t units) const {
    return {base + at * unit, units * unit};
  }
  // As units, from base on; 0: that one is not accessible.
  [[nodiscard]] std::uint64_t joined(std::uint64_t at) const {
    return ranges.containing(base + at * unit).bytes / unit;
  }
  [[nodiscard]] std::uint64_t charged() const { return quota.books.used_bytes(1) / unit; }
};

} // namespace pegasus::memory::test
