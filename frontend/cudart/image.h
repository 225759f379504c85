// SPDX-License-Identifier: Apache-2.0
// The image that nvcc puts into a program for __cudaRegisterFatBinary, and how to load it (checked on nvcc 13
// output; the wrapper is declared in the toolkit's fatbinary_section.h).
#pragma once

#include "frontend/cudart/driver.h"

namespace pegasus::cudart {

struct FatbinWrapper {
  static constexpr int magic_value = 0x466243b1;

  int magic;
  int version;           // 1: one translation unit; 2: device-linked program (-rdc=true)
  void const* data;      // a fatbin; for version 2 the one of the linked code
  void* name_or_fatbins; // version 2: array of the fatbins of the linked units, null-terminated
};

// Loads the image into the current context.
[[nodiscard]] CUresult load_image(Driver const& driver, FatbinWrapper const& wrapper, CUmodule& module);

// Makes one container (struct pegasus_image_set) of a device-linked program: `data` first, then the units.
// The result is malloced; nullptr if the wrapper is malformed or memory is exhausted.
[[nodiscard]] void* make_image_set(FatbinWrapper const& wrapper, std::size_t& bytes);

// Returns 0 if this is not the start of a fatbin.
[[nodiscard]] std::uint64_t fatbin_bytes(void const* fatbin);

} // namespace pegasus::cudart
