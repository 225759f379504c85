// SPDX-License-Identifier: Apache-2.0
// ELF files. Their code is NVIDIA's: what is of interest here is the architecture, and what they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pegasus::image {

[[nodiscard]] bool is_elf(std::span<const std::byte>);
// 80 for sm_80; 0 when it is an ELF file but no cubin.
[[nodiscard]] std::uint32_t cubin_architecture(std::span<const std::byte>);

// Of the sections that a loader allocates, initialized or not. nullopt: headers or sections do not lie within
// the file.
[[nodiscard]] std::optional<std::uint64_t> allocated_bytes(std::span<const std::byte>);

} // namespace pegasus::image
