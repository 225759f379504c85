// SPDX-License-Identifier: Apache-2.0
// NVIDIA's fatbin container: code for several architectures behind one header. The layout is not documented.
// It was inferred from the output of nvcc 13 for a test program, and is the same with all its options.
// Little-endian:
//
//   header (16 bytes)  u32 magic, u16 version (1), u16 header bytes (16), u64 bytes that follow
//   entry header       +0x00 u16 kind (1 PTX, 2 cubin), u16 0x0101, u32 header bytes (64 to 128),
//                      u64 payload bytes
//   (then its payload) +0x10 u32 compressed bytes, +0x1c u32 architecture (75), +0x28 u64 flags,
//                      +0x38 u64 plain bytes
//
// All sizes are checked against the available bytes; wrong ones give an error.
#pragma once

#include "domA/device/image/architectures.h"
#include "domA/device/image/decompress.h"
#include "domA/device/image/failure.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::image {

inline constexpr std::uint32_t fatbin_magic = 0xba55ed50;
inline constexpr std::uint64_t max_plain_bytes = std::uint64_t{256} << 20;

// One PTX text or cubin in a fatbin, still compressed.
struct FatbinEntry {
  bool is_ptx = true;
  std::uint32_t architecture = 0;
  Compression compression = Compression::none;
  std::span<std::byte const> data;
  std::size_t plain_bytes = 0;
};

struct Fatbin {
  // The PTX of the highest architecture that is not above the device's; the first of equal ones.
  // Architecture-specific and family-specific PTX (sm_90a, sm_100f) is used only for exactly that
  // architecture. All later members of a family could run it too, but this project has no device of
  // such a family.
  std::optional<FatbinEntry> best;
  Architectures found; // everything in the container
};

[[nodiscard]] tl::expected<Fatbin, Failure> read_fatbin(std::span<std::byte const> image,
                                                        std::uint32_t compute_capability);

// The entries from which NVIDIA's driver would choose for such a device: cubins of its generation that are
// not above it, and the PTX of read_fatbin().
[[nodiscard]] tl::expected<std::vector<FatbinEntry>, Failure> entries_for(std::span<std::byte const> image,
                                                                          std::uint32_t compute_capability);

} // namespace pegasus::image
