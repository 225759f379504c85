// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/cubin.h"

#include "domA/device/image/bytes.h"

namespace pegasus::image {

bool is_elf(std::span<const std::byte> image) {
  return image.size() >= 4 && as_text(image.first(4)) == "\x7f"
                                                         "ELF";
}

// e_machine 190 is EM_CUDA. The architecture is in e_flags: of nvcc 13's files (ABI version 8) in the second
// byte, of older files in the first. Seen in files for sm_75 to sm_100.
std::uint32_t cubin_architecture(std::span<const std::byte> image) {
  constexpr std::size_t elf64_header = 64;
  constexpr std::uint16_t machine_cuda = 190;
  if (!is_elf(image) || image.size() < elf64_header || read<std::uint16_t>(image, 18) != machine_cuda)
    return 0;
  auto const abi = read<std::uint8_t>(image, 8);
  auto const flags = read<std::uint32_t>(image, 48);
  return abi >= 8 ? flags >> 8 & 0xff : flags & 0xff;
}

} // namespace pegasus::image
