// SPDX-License-Identifier: Apache-2.0
// The blocks of a memory pool: those that the program uses, and those that it freed in a stream's order and the pool
// keeps. A kept block is used again by its stream alone: what the stream executes next comes after its last use.
// Not thread-safe. Sizes are in bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::driver {

class PoolMemory {
public:
  struct Block {
    std::uint64_t stream = 0; // in whose order it was freed
    std::uint64_t bytes = 0;
    std::uint64_t base = 0;
    auto operator<=>(Block const&) const = default;
  };
  // The part of what is asked for that a block may be larger.
  static constexpr std::uint64_t most_waste = 8;

  // New from the accelerator: it is used.
  void add(std::uint64_t base, std::uint64_t bytes);
  // The smallest block that `stream` may use from now on for so many bytes.
  [[nodiscard]] std::optional<std::uint64_t> reuse(std::uint64_t stream, std::uint64_t bytes);
  // Freed in the stream's order. Returns false if this pool has no such block in use.
  [[nodiscard]] bool keep(std::uint64_t base, std::uint64_t stream);
  // A stream that there is no more, and that therefore uses nothing again.
  static constexpr std::uint64_t ended = ~std::uint64_t{0};
  void end(std::uint64_t stream); // its blocks become those of `ended`
  // It went back to the accelerator without being kept.
  void remove(std::uint64_t base);
  // Takes kept blocks out, the largest of a stream first, until no more than `reserved` bytes are reserved. Of one stream
  // only, if that is given.
  [[nodiscard]] std::vector<Block> take_kept(std::uint64_t reserved,
                                             std::optional<std::uint64_t> stream = std::nullopt);

  [[nodiscard]] bool keeps() const { return !kept_.empty(); }
  [[nodiscard]] std::uint64_t used() const { return used_bytes_; }
  [[nodiscard]] std::uint64_t used_high() const { return used_high_; }
  [[nodiscard]] std::uint64_t reserved() const { return reserved_; } // used and kept
  [[nodiscard]] std::uint64_t reserved_high() const { return reserved_high_; }
  void reset_used_high() { used_high_ = used_bytes_; }
  void reset_reserved_high() { reserved_high_ = reserved_; }

private:
  void use(std::uint64_t base, std::uint64_t bytes);

  std::map<std::uint64_t, std::uint64_t> used_; // bytes by address
  std::set<Block> kept_;
  std::uint64_t used_bytes_ = 0, used_high_ = 0;
  std::uint64_t reserved_ = 0, reserved_high_ = 0;
};

} // namespace pegasus::driver
