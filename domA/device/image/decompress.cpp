// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/decompress.h"

#include "domA/device/image/bytes.h"

#include <limits>
#include <lz4.h>
#include <zstd.h>

namespace pegasus::image {
namespace {

// A byte of an LZ4 block represents at most 255 bytes (the format's length codes). A larger declared size is
// wrong, and is refused before memory is allocated for it.
std::optional<std::string> decompress_lz4(std::span<std::byte const> data, std::size_t bytes) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (data.size() > most || bytes > most || bytes / 255 > data.size()) return std::nullopt;
  std::string text(bytes, '\0');
  int const got = LZ4_decompress_safe(reinterpret_cast<char const*>(data.data()), text.data(),
                                      static_cast<int>(data.size()), static_cast<int>(bytes));
  if (got < 0 || static_cast<std::size_t>(got) != bytes) return std::nullopt;
  return text;
}

std::optional<std::string> decompress_zstd(std::span<std::byte const> data, std::size_t bytes) {
  // Frames from nvcc contain their size. If a frame does, it must match before memory is allocated.
  unsigned long long const said = ZSTD_getFrameContentSize(data.data(), data.size());
  if (said == ZSTD_CONTENTSIZE_ERROR || (said != ZSTD_CONTENTSIZE_UNKNOWN && said != bytes))
    return std::nullopt;
  std::string text(bytes, '\0');
  std::size_t const got = ZSTD_decompress(text.data(), text.size(), data.data(), data.size());
  if (ZSTD_isError(got) != 0 || got != bytes) return std::nullopt;
  return text;
}

} // namespace

std::optional<std::string> decompress(Compression compression, std::span<std::byte const> data,
                                      std::size_t bytes) {
  switch (compression) {
  case Compression::lz4:
    return decompress_lz4(data, bytes);
  case Compression::zstd:
    return decompress_zstd(data, bytes);
  case Compression::none:
    break;
  }
  if (bytes > data.size()) return std::nullopt;
  return std::string(as_text(data.first(bytes)));
}

} // namespace pegasus::image
