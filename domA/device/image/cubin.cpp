// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/cubin.h"

#include "domA/device/image/bytes.h"

namespace pegasus::image {
namespace {

constexpr std::size_t elf64_header = 64, section_header = 64;

// The bytes of a section, by its header; empty unless they lie within the file.
std::span<std::byte const> bytes_of(std::span<std::byte const> image, std::span<std::byte const> header) {
  auto const offset = read<std::uint64_t>(header, 24), bytes = read<std::uint64_t>(header, 32);
  if (offset > image.size() || bytes > image.size() - offset) return {};
  return image.subspan(offset, bytes);
}

} // namespace

bool is_elf(std::span<std::byte const> image) {
  return image.size() >= 4 && as_text(image.first(4)) == "\x7f"
                                                         "ELF";
}

// e_machine 190 is EM_CUDA. The architecture is in e_flags: in the second byte in files of nvcc 13 (ABI
// version 8), in the first byte in older files. Seen in files for sm_75 to sm_100.
std::uint32_t cubin_architecture(std::span<std::byte const> image) {
  constexpr std::uint16_t machine_cuda = 190;
  if (!is_elf(image) || image.size() < elf64_header || read<std::uint16_t>(image, 18) != machine_cuda)
    return 0;
  auto const abi = read<std::uint8_t>(image, 8);
  auto const flags = read<std::uint32_t>(image, 48);
  return abi >= 8 ? flags >> 8 & 0xff : flags & 0xff;
}

std::string_view ptx_of_cubin(std::span<std::byte const> image) {
  constexpr std::string_view name = ".pegasus.ptx";
  if (!allocated_bytes(image)) return {}; // the section headers lie within the file
  auto const sections = read<std::uint16_t>(image, 60), names_at = read<std::uint16_t>(image, 62);
  auto const table = image.subspan(sections == 0 ? 0 : read<std::uint64_t>(image, 40));
  if (names_at >= sections) return {};
  auto const header = [table](std::size_t i) { return table.subspan(i * section_header, section_header); };
  std::string_view const names = as_text(bytes_of(image, header(names_at)));
  for (std::size_t i = 0; i < sections; ++i) {
    auto const at = read<std::uint32_t>(header(i), 0);
    if (at < names.size() &&
        names.substr(at, name.size() + 1) == std::string_view(name.data(), name.size() + 1))
      return as_text(bytes_of(image, header(i)));
  }
  return {};
}

std::optional<std::uint64_t> allocated_bytes(std::span<std::byte const> image) {
  constexpr std::uint8_t class_64 = 2;
  constexpr std::size_t program_header = 56;
  constexpr std::uint32_t without_bytes = 8; // SHT_NOBITS
  constexpr std::uint64_t allocated = 2;     // SHF_ALLOC
  auto const inside = [&](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= image.size() && bytes <= image.size() - offset;
  };
  if (!is_elf(image) || image.size() < elf64_header || read<std::uint8_t>(image, 4) != class_64) return {};
  auto const programs = read<std::uint16_t>(image, 56), sections = read<std::uint16_t>(image, 60);
  auto const program_table = read<std::uint64_t>(image, 32), section_table = read<std::uint64_t>(image, 40);
  if (programs > 0 && (read<std::uint16_t>(image, 54) != program_header ||
                       !inside(program_table, std::uint64_t{programs} * program_header)))
    return {};
  if (sections > 0 && (read<std::uint16_t>(image, 58) != section_header ||
                       !inside(section_table, std::uint64_t{sections} * section_header)))
    return {};
  for (std::size_t i = 0; i < programs; ++i) {
    auto const header = image.subspan(program_table + i * program_header, program_header);
    if (!inside(read<std::uint64_t>(header, 8), read<std::uint64_t>(header, 32))) return {};
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < sections; ++i) {
    auto const header = image.subspan(section_table + i * section_header, section_header);
    auto const bytes = read<std::uint64_t>(header, 32);
    if (read<std::uint32_t>(header, 4) != without_bytes && !inside(read<std::uint64_t>(header, 24), bytes))
      return {};
    if ((read<std::uint64_t>(header, 8) & allocated) != 0 && __builtin_add_overflow(all, bytes, &all))
      return {};
  }
  return all;
}

} // namespace pegasus::image
