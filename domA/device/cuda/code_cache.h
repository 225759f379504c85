// SPDX-License-Identifier: Apache-2.0
// Machine code that the driver's compiler made from PTX, for the next program of the same domain: each program has a
// worker of its own, and the driver's own cache would be shared by all domains.
//
// The pages are shared by the workers of one domain, and by nobody else. A worker that its guest has taken over can
// write anything there, at any time: what is found is copied once, its bounds are checked, and its checksum. It can
// still offer other code, or code that crashes a worker, to programs of its own domain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::cuda {

class CodeCache {
public:
  // `shared` is aligned to a page, and zero when its first user comes. Empty: nothing is kept.
  explicit CodeCache(std::span<std::byte> shared = {}) : shared_(shared) {}
  [[nodiscard]] bool exists() const { return !shared_.empty(); }

  // What the code depends on.
  struct Source {
    std::span<std::byte const> image;
    std::uint32_t compute_capability;
    std::int32_t driver_version;
  };
  [[nodiscard]] std::optional<std::vector<std::byte>> find(Source const& source) const;
  // Does nothing if there is no room: entries stay as long as the domain.
  void add(Source const& source, std::span<std::byte const> code);

private:
  std::span<std::byte> shared_;
};

} // namespace pegasus::cuda
