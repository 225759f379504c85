// SPDX-License-Identifier: Apache-2.0
// ELF files. Their code is NVIDIA's; only the architecture and the memory that they need are read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pegasus::image {

[[nodiscard]] bool is_elf(std::span<std::byte const>);
// 80 for sm_80; 0 if it is an ELF file but not a cubin.
[[nodiscard]] std::uint32_t cubin_architecture(std::span<std::byte const>);

// The bytes of the sections that a loader allocates, initialized or not. Returns nullopt if headers or
// sections do not lie within the file.
[[nodiscard]] std::optional<std::uint64_t> allocated_bytes(std::span<std::byte const>);

} // namespace pegasus::image
