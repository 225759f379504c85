// SPDX-License-Identifier: Apache-2.0
// A task's device memory on the software accelerator: the address space that kernels execute in, and its accounts.
#pragma once

#include "base/zeroed_memory.h"
#include "domA/device/memory/mappings.h"
#include "domA/device/memory/task_memory.h"
#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/mapped_pages.h"

namespace pegasus::software {

// Linux gives a page at the first access to it, zeroed: addresses are all that has to be mapped.
class HostPages final : public memory::Backing {
public:
  explicit HostPages(Memory& memory) : memory_(memory) {}

  [[nodiscard]] std::uint64_t granule() const override { return Memory::granule; }
  [[nodiscard]] Status room(memory::Room& room) override {
    room.total_bytes = memory_.capacity();
    return Status::success;
  }
  [[nodiscard]] Status reserve(std::uint64_t bytes, device::Address& base) override {
    base = memory_.reserve(bytes);
    return base == 0 ? Status::out_of_memory : Status::success;
  }
  [[nodiscard]] Status reserve_host(std::uint64_t bytes, device::Address& base) override {
    if (!memory_.has_host()) return Status::not_supported;
    base = memory_.reserve_host(bytes);
    return base == 0 ? Status::out_of_memory : Status::success;
  }
  [[nodiscard]] Status release(device::Range range) override {
    memory_.release(range);
    return Status::success;
  }
  [[nodiscard]] Status map(device::Range) override { return Status::success; }
  [[nodiscard]] Status unmap(device::Range range) override {
    memory_.scrub(range);
    return Status::success;
  }
  [[nodiscard]] Status read(device::Range range, std::span<std::byte> to) override {
    base::copy_into_zeroes(to, {bytes_of(range), range.bytes});
    return Status::success;
  }
  [[nodiscard]] Status write(device::Range range, std::span<std::byte const> from) override {
    base::copy_into_zeroes({bytes_of(range), range.bytes}, from);
    return Status::success;
  }
  void lose_task() override {}

private:
  [[nodiscard]] std::byte* bytes_of(device::Range range) const {
    return memory_.resolve(range.base, range.bytes);
  }

  Memory& memory_;
};

struct DeviceMemory {
  // `bytes`: the maximum, whatever the quota says.
  DeviceMemory(std::uint64_t bytes, device::HostWindow host, memory::Quota const& quota)
      : space(bytes, host), backing(space), task(space.ranges(), backing, quota), mapped(space),
        mappings(space.ranges(), mapped, task) {}

  Memory space;
  HostPages backing;
  memory::TaskMemory task;
  MappedPages mapped;
  memory::Mappings mappings;
};

} // namespace pegasus::software
