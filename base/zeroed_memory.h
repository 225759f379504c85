// SPDX-License-Identifier: Apache-2.0
// Memory that reads as zero. Linux gives a page when something is written to it: what is only reserved, or only read,
// costs nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace pegasus::base {

class ZeroedMemory {
public:
  explicit ZeroedMemory(std::uint64_t bytes) : ZeroedMemory(bytes, 0) {}
  // With `reserved` bytes of addresses behind it, a multiple of the page, as `bytes` then is. They have no memory until
  // the caller makes them accessible.
  ZeroedMemory(std::uint64_t bytes, std::uint64_t reserved) : reserved_(reserved) {
    std::uint64_t mapped = 0;
    if (__builtin_add_overflow(bytes, reserved, &mapped)) return;
    int const access = reserved == 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
    void* const at = mmap(nullptr, mapped, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return;
    if (reserved != 0 && mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0)
      munmap(at, mapped);
    else
      bytes_ = {static_cast<std::byte*>(at), bytes};
  }
  ~ZeroedMemory() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size() + reserved_);
  }
  ZeroedMemory(ZeroedMemory&& from) noexcept
      : bytes_(std::exchange(from.bytes_, {})), reserved_(from.reserved_) {}
  ZeroedMemory& operator=(ZeroedMemory&&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const {
    return bytes_;
  } // empty: there was no address space for it

private:
  std::span<std::byte> bytes_{};
  std::uint64_t reserved_;
};

// Into memory of as many bytes that reads as zero, both beginning at a page: of pages without anything but zeroes Linux
// then gives none.
inline void copy_into_zeroes(std::span<std::byte> to, std::span<std::byte const> from) {
  static constexpr std::array<std::byte, 4096> zeroes{};
  for (std::size_t at = 0; at < from.size(); at += zeroes.size()) {
    std::size_t const bytes = std::min(from.size() - at, zeroes.size());
    if (std::memcmp(&from[at], zeroes.data(), bytes) != 0) std::memcpy(&to[at], &from[at], bytes);
  }
}

} // namespace pegasus::base
