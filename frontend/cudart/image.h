// SPDX-License-Identifier: Apache-2.0
// What nvcc puts into a program for __cudaRegisterFatBinary, and loading it (checked on nvcc 13 output; the
// wrapper is declared in the toolkit's fatbinary_section.h).
#pragma once

#include "frontend/cudart/driver.h"

namespace pegasus::cudart {

struct FatbinWrapper {
  static constexpr int magic_value = 0x466243b1;

  int magic;
  int version;           // 1: one translation unit; 2: device-linked program (-rdc=true)
  void const* data;      // a fatbin; for version 2 that of the linked code
  void* name_or_fatbins; // version 2: array of the fatbins of the linked units, ended by null
};

// Loads it into the current context.
[[nodiscard]] CUresult load_image(Driver const& driver, FatbinWrapper const& wrapper, CUmodule& module);

// A device-linked program as one container (struct pegasus_image_set): `data` first, then the units.
// Malloced; nullptr: not well-formed, or out of memory.
[[nodiscard]] void* make_image_set(FatbinWrapper const& wrapper, std::size_t& bytes);

// 0: no fatbin starts here.
[[nodiscard]] std::uint64_t fatbin_bytes(void const* fatbin);

} // namespace pegasus::cudart
