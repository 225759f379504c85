// SPDX-License-Identifier: Apache-2.0
// ELF files. Their code is NVIDIA's; only the architecture, the memory that they need, and the PTX that some of them keep
// are read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pegasus::image {

[[nodiscard]] bool is_elf(std::span<std::byte const>);
// 80 for sm_80; 0 if it is an ELF file but not a cubin.
[[nodiscard]] std::uint32_t cubin_architecture(std::span<std::byte const>);

// The PTX that a cubin was made of, in section .pegasus.ptx (frontend/relink/ptxas.h); empty if it has none.
[[nodiscard]] std::string_view ptx_of_cubin(std::span<std::byte const>);

// The bytes of the sections that a loader allocates, initialized or not. Returns nullopt if headers or
// sections do not lie within the file.
[[nodiscard]] std::optional<std::uint64_t> allocated_bytes(std::span<std::byte const>);

} // namespace pegasus::image
