// SPDX-License-Identifier: Apache-2.0
// Memory that reads as zero. Linux gives a page when something is written to it: what is only reserved, or only read,
// costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace pegasus::base {

class ZeroedMemory {
public:
  explicit ZeroedMemory(std::uint64_t bytes) {
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) bytes_ = {static_cast<std::byte*>(at), bytes};
  }
  ~ZeroedMemory() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  }
  ZeroedMemory(ZeroedMemory&& from) noexcept : bytes_(std::exchange(from.bytes_, {})) {}
  ZeroedMemory& operator=(ZeroedMemory&&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const {
    return bytes_;
  } // empty: there was no address space for it

private:
  std::span<std::byte> bytes_{};
};

} // namespace pegasus::base
