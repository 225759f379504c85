// SPDX-License-Identifier: Apache-2.0
// Reads little-endian numbers from an image; the caller has checked that they lie within it.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace pegasus::image {

template <class T> [[nodiscard]] T read(std::span<std::byte const> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

[[nodiscard]] inline std::string_view as_text(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

} // namespace pegasus::image
