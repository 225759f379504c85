// SPDX-License-Identifier: Apache-2.0
// The argument of cuModuleLoadData and similar calls: a pointer without a size. Its kind and extent
// follow from its first bytes: a fatbin or the wrapper that nvcc puts around it, a cubin (ELF), PTX text,
// or an image that this library's cuLinkComplete made (struct pegasus_image_set, which the program may
// have copied elsewhere).
#pragma once

#include "frontend/cuda/cuda_api.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace pegasus::driver {

inline constexpr std::uint32_t fatbin_magic = 0xBA55ED50; // the first bytes of a fatbin

struct Image {
  std::span<std::byte const> bytes; // the program's memory, or `owned`
  std::uint32_t kind = 0;           // as in MODULE_BEGIN
  std::vector<std::byte> owned;

  Image() = default;
  Image(Image&&) = default; // a moved vector keeps its storage: `bytes` stays valid
  Image& operator=(Image&&) = default;
};

// Returns CUDA_ERROR_INVALID_IMAGE unless the image is one of the above. `available`: how many bytes
// may be read.
CUresult recognise(void const* data, Image& image,
                   std::size_t available = std::numeric_limits<std::size_t>::max());

// The same with a copy of the bytes, for images that outlive the call.
CUresult recognise_and_copy(void const* data, Image& image);

CUresult read_file(char const* path, std::vector<std::byte>& contents); // NUL-terminated, bounded
std::vector<std::byte> make_image_set(std::span<std::span<std::byte const> const> parts);

// Names of the kernels of PTX text or of a set of PTX texts. Returns false if the image is not text.
bool list_entries(Image const& image, std::vector<std::string>& names);

} // namespace pegasus::driver
