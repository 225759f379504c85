// SPDX-License-Identifier: Apache-2.0
// The pages of memory that a program maps itself. They are behind the addresses where they are mapped; what is mapped
// nowhere and is to be kept is behind addresses that no program knows. Between the two it is copied, page by page: to
// move pages, a worker would need a call that its sandbox forbids with reason (domA/worker/sandbox.cpp, mremap).
#pragma once

#include "domA/device/memory/mapping_backing.h"
#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/reserved_addresses.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace pegasus::software {

class MappedPages final : public memory::MappingBacking {
public:
  explicit MappedPages(Memory& memory) : memory_(memory), addresses_(memory.mappable()) {}

  [[nodiscard]] std::uint64_t most_reserved() const override {
    return memory_.mappable().bytes / Memory::mappable_per_capacity * (Memory::mappable_per_capacity - 1);
  }
  [[nodiscard]] Status reserve_addresses(std::uint64_t bytes, std::uint64_t alignment, device::Address hint,
                                         device::Address& base) override;
  [[nodiscard]] Status free_addresses(device::Range range) override;
  // A memory's name is the address where it is kept while it is not mapped.
  [[nodiscard]] Status create(std::uint64_t bytes, MemoryId& memory) override;
  [[nodiscard]] Status destroy(MemoryId memory, std::uint64_t bytes) override;
  [[nodiscard]] Status map(device::Range range, MemoryId memory) override;
  [[nodiscard]] Status unmap(device::Range range, MemoryId memory, bool keep) override;
  // What is accessible is in a range, which counts it.
  [[nodiscard]] Status set_access(device::Range range, bool accessible) override {
    accessible ? memory_.let_go(range.bytes) : memory_.keep(range.bytes);
    return Status::success;
  }
  [[nodiscard]] Status zero(device::Range) override { return Status::success; } // new pages are
  void lose_task() override {}

private:
  // Makes the addresses usable, or gives what lies behind them back to Linux; they then read as zero again.
  [[nodiscard]] bool commit(device::Range range);
  void decommit(device::Range range);
  void move(device::Address to, device::Range from);
  [[nodiscard]] std::byte* host(device::Address address) const;

  Memory& memory_;
  ReservedAddresses addresses_;
  std::map<MemoryId, std::uint64_t> kept_; // how many bytes of it are where it is kept
};

} // namespace pegasus::software
