// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/image.h"

#include "frontend/protocol/calls.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <memory>

namespace pegasus::driver {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1; // struct __fatBinC_Wrapper_t of CUDA's fatBinaryCtl.h
constexpr std::uint64_t max_bytes = PEGASUS_MODULE_BYTES_MAX;

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  void const* data;
  void const* const* parts; // version 2: the fatbins of the linked units, NULL-terminated
};

struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t body_bytes;
};

template <class T> bool load(void const* data, std::size_t available, T& value) {
  if (available < sizeof value) return false;
  std::memcpy(&value, data, sizeof value);
  return true;
}

bool fatbin_bytes(void const* data, std::size_t available, std::uint64_t& bytes) {
  FatbinHeader header{};
  if (!load(data, available, header) || header.magic != fatbin_magic || header.header_bytes < sizeof header)
    return false;
  return !__builtin_add_overflow(header.body_bytes, std::uint64_t{header.header_bytes}, &bytes);
}

// The end of the last header table, section or segment.
bool elf_bytes(std::byte const* data, std::size_t available, std::uint64_t& bytes) {
  Elf64_Ehdr header{};
  if (!load(data, available, header) || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  std::uint64_t end = sizeof header;
  auto const extend = [&](std::uint64_t offset, std::uint64_t size) {
    std::uint64_t last = 0;
    if (__builtin_add_overflow(offset, size, &last) || last > max_bytes || last > available) return false;
    end = std::max(end, last);
    return true;
  };
  if (!extend(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) ||
      !extend(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize))
    return false;
  if ((header.e_shnum != 0 && header.e_shentsize < sizeof(Elf64_Shdr)) ||
      (header.e_phnum != 0 && header.e_phentsize < sizeof(Elf64_Phdr)))
    return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    std::memcpy(&section, data + header.e_shoff + i * header.e_shentsize, sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !extend(section.sh_offset, section.sh_size))
      return false;
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, data + header.e_phoff + i * header.e_phentsize, sizeof segment);
    if (!extend(segment.p_offset, segment.p_filesz)) return false;
  }
  bytes = end;
  return true;
}

bool set_bytes(std::byte const* data, std::size_t available, std::uint64_t& bytes) {
  pegasus_image_set header{};
  if (!load(data, available, header) || header.magic != PEGASUS_IMAGE_SET_MAGIC) return false;
  std::uint64_t const table = sizeof header + header.parts * std::uint64_t{8};
  if (header.parts > PEGASUS_IMAGE_SET_PARTS_MAX || table > available) return false;
  bytes = table;
  for (std::uint32_t i = 0; i < header.parts; ++i) {
    std::uint64_t part = 0;
    std::memcpy(&part, data + sizeof header + i * std::size_t{8}, sizeof part);
    if (part > max_bytes) return false;
    bytes += (part + 7) / 8 * 8;
    if (bytes > max_bytes) return false;
  }
  return true;
}

// PTX is text: it starts with a comment, white space or a directive.
bool looks_like_text(std::byte const* data) {
  auto const first = std::to_integer<unsigned char>(*data);
  return first == '/' || first == '.' || first == ' ' || first == '\n' || first == '\r' || first == '\t';
}

CUresult collect_linked(Wrapper const& wrapper, Image& image) {
  std::vector<std::span<std::byte const>> parts;
  for (void const* const* part = wrapper.parts; part != nullptr && *part != nullptr; ++part) {
    std::uint64_t bytes = 0;
    if (parts.size() == PEGASUS_IMAGE_SET_PARTS_MAX ||
        !fatbin_bytes(*part, std::numeric_limits<std::size_t>::max(), bytes) || bytes > max_bytes)
      return CUDA_ERROR_INVALID_IMAGE;
    parts.emplace_back(static_cast<std::byte const*>(*part), bytes);
  }
  image.owned = make_image_set(parts);
  image.bytes = image.owned;
  image.kind = 2;
  return image.bytes.size() <= max_bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

} // namespace

CUresult recognise(void const* data, Image& image, std::size_t available) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto const* const first = static_cast<std::byte const*>(data);
  std::uint64_t bytes = 0;
  std::uint32_t magic = 0;
  if (available == 0 || *first == std::byte{0}) return CUDA_ERROR_INVALID_IMAGE;
  image.kind = 1;
  if (looks_like_text(first)) {
    bytes = strnlen(reinterpret_cast<char const*>(data), std::min<std::size_t>(available, max_bytes + 1));
  } else if (!load(data, available, magic)) {
    return CUDA_ERROR_INVALID_IMAGE;
  } else if (magic == wrapper_magic) {
    Wrapper wrapper{};
    if (!load(data, available, wrapper)) return CUDA_ERROR_INVALID_IMAGE;
    return wrapper.version == 2 ? collect_linked(wrapper, image) : recognise(wrapper.data, image);
  } else if (magic == PEGASUS_IMAGE_SET_MAGIC) {
    image.kind = 2;
    if (!set_bytes(first, available, bytes)) return CUDA_ERROR_INVALID_IMAGE;
  } else if (!fatbin_bytes(data, available, bytes) &&
             !(std::memcmp(data, ELFMAG, SELFMAG) == 0 && elf_bytes(first, available, bytes))) {
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (bytes == 0 || bytes > max_bytes || bytes > available) return CUDA_ERROR_INVALID_IMAGE;
  image.bytes = {first, bytes};
  return CUDA_SUCCESS;
}

CUresult recognise_and_copy(void const* data, Image& image) {
  CUresult const status = recognise(data, image);
  if (status == CUDA_SUCCESS && image.owned.empty()) {
    image.owned.assign(image.bytes.begin(), image.bytes.end());
    image.bytes = image.owned;
  }
  return status;
}

CUresult read_file(char const* path, std::vector<std::byte>& contents) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path, "rbe"), std::fclose);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  std::byte piece[16384];
  while (std::size_t const got = std::fread(piece, 1, sizeof piece, file.get())) {
    if (contents.size() + got > max_bytes) return CUDA_ERROR_INVALID_IMAGE;
    contents.insert(contents.end(), piece, piece + got);
  }
  if (std::ferror(file.get()) != 0) return CUDA_ERROR_FILE_NOT_FOUND; // for example, a directory
  contents.push_back(std::byte{0});
  return CUDA_SUCCESS;
}

std::vector<std::byte> make_image_set(std::span<std::span<std::byte const> const> parts) {
  pegasus_image_set const header{PEGASUS_IMAGE_SET_MAGIC, static_cast<std::uint32_t>(parts.size())};
  std::vector<std::byte> set;
  auto const append = [&](std::span<std::byte const> bytes) {
    set.insert(set.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(&header, 1)));
  for (auto const& part : parts) {
    std::uint64_t const bytes = part.size();
    append(std::as_bytes(std::span(&bytes, 1)));
  }
  for (auto const& part : parts) {
    append(part);
    set.resize((set.size() + 7) / 8 * 8);
  }
  return set;
}

} // namespace pegasus::driver
