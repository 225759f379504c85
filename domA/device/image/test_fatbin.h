// SPDX-License-Identifier: Apache-2.0
// For tests: fatbins built by hand, so that they can be malformed.
#pragma once

#include "domA/device/image/fatbin.h"

#include <cstring>
#include <lz4.h>
#include <string>
#include <string_view>
#include <zstd.h>

namespace pegasus::image::test {

inline std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

template <class T> void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

inline std::string zstd_of(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

inline std::string lz4_of(std::string_view text) {
  std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  int const bytes = LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()),
                                         static_cast<int>(packed.size()));
  packed.resize(static_cast<std::size_t>(bytes));
  return packed;
}

// kind 1: PTX, 2: cubin. `plain` is the length of the text before compression.
inline std::string entry(std::uint16_t kind, std::uint32_t architecture, std::uint64_t flags,
                         std::string_view data, std::size_t plain) {
  std::string bytes(64, '\0');
  std::size_t const padded = (data.size() + 7) / 8 * 8;
  put(bytes, 0, kind);
  put(bytes, 2, std::uint16_t{0x0101});
  put(bytes, 4, std::uint32_t{64});
  put(bytes, 8, std::uint64_t{padded});
  put(bytes, 0x10, static_cast<std::uint32_t>((flags & 0xa000) != 0 ? data.size() : 0));
  put(bytes, 0x1c, architecture);
  put(bytes, 0x28, flags | 0x11);
  put(bytes, 0x38, std::uint64_t{(flags & 0xa000) != 0 ? plain : 0});
  bytes += data;
  bytes.resize(64 + padded);
  return bytes;
}
inline std::string plain_ptx(std::uint32_t architecture, std::string_view text) {
  return entry(1, architecture, 0, text, 0);
}
inline std::string zstd_ptx(std::uint32_t architecture, std::string_view text) {
  return entry(1, architecture, 0x8000, zstd_of(text), text.size());
}
inline std::string lz4_ptx(std::uint32_t architecture, std::string_view text) {
  return entry(1, architecture, 0x2000, lz4_of(text), text.size());
}

inline std::string fatbin(std::string_view entries) {
  std::string bytes(16, '\0');
  put(bytes, 0, fatbin_magic);
  put(bytes, 4, std::uint16_t{1});
  put(bytes, 6, std::uint16_t{16});
  put(bytes, 8, std::uint64_t{entries.size()});
  return bytes.append(entries);
}

inline std::string cubin(std::uint8_t architecture) {
  std::string bytes(64, '\0');
  bytes.replace(0, 4,
                "\x7f"
                "ELF");
  put(bytes, 8, std::uint8_t{8});
  put(bytes, 18, std::uint16_t{190});
  put(bytes, 48, static_cast<std::uint32_t>(architecture << 8 | 4));
  return bytes;
}

} // namespace pegasus::image::test
