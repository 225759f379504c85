// SPDX-License-Identifier: Apache-2.0
// ELF files, of which only the architecture is of interest: the CPU cannot run their code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasus::image {

[[nodiscard]] bool is_elf(std::span<const std::byte>);
// 80 for sm_80; 0 when it is an ELF file but no cubin.
[[nodiscard]] std::uint32_t cubin_architecture(std::span<const std::byte>);

} // namespace pegasus::image
