// SPDX-License-Identifier: Apache-2.0
// Whether an object holds NVIDIA's CUDA runtime, linked statically as nvcc does by default, and can use ours instead: what
// `nvcc -cudart shared` does when a program is linked, done when it is loaded, by the runtime's public names. All of
// them or none: a program must not use two runtimes.
#pragma once

#include "frontend/relink/elf_file.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::relink {

// A jump to any address: jmp *[rip], and the address.
inline constexpr std::uint64_t jump_bytes = 14;

// The CUDA release of the runtime that an object with these functions holds, 11, 12 or 13; 0: it holds none.
[[nodiscard]] int release_of(std::vector<Function> const& object);

inline constexpr std::array<int, 3> releases = {13, 12, 11};

// The file of ours that takes its place. `release` is one of those.
[[nodiscard]] std::string_view runtime_name(int release);

// Addresses as the files have them: of the object's function, and of ours.
struct Jump {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// Without jumps the object holds no such runtime, or `refusal` says why nothing can be done.
struct Plan {
  std::vector<Jump> jumps;
  std::string refusal;
};

// The functions of the runtime, and those of the program that may be taken for some.
[[nodiscard]] std::vector<Function> runtime_functions(ElfFile const& file, std::uint32_t table);

// Linked with our libcudart_static.a, which needs no replacing.
[[nodiscard]] bool holds_our_runtime(ElfFile const& file);

// `object` from its SHT_SYMTAB, `ours` from the SHT_DYNSYM of our libcudart of the same release.
[[nodiscard]] Plan plan_of(std::vector<Function> const& object, std::vector<Function> const& ours);

} // namespace pegasus::relink
