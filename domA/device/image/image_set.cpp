// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/image_set.h"

#include "domA/device/image/bytes.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::image {
namespace {

tl::unexpected<Failure> damaged_set(std::string what) {
  return tl::unexpected(
      Failure{device::Status::invalid_image, fmt::format("the set of images is damaged: {}", what)});
}

} // namespace

tl::expected<std::vector<std::span<std::byte const>>, Failure>
parts_of_set(std::span<std::byte const> image) {
  constexpr std::size_t set_header_bytes = 8;
  if (image.size() < set_header_bytes || read<std::uint32_t>(image, 0) != image_set_magic)
    return damaged_set("it does not begin with a set's header");
  std::size_t const count = read<std::uint32_t>(image, 4);
  if (count == 0 || count > image_set_most_parts || count > (image.size() - set_header_bytes) / 8)
    return damaged_set(fmt::format("its header gives {} parts", count));
  std::vector<std::span<std::byte const>> parts;
  parts.reserve(count);
  auto rest = image.subspan(set_header_bytes + count * 8);
  for (std::size_t i = 0; i < count; ++i) {
    auto const bytes = read<std::uint64_t>(image, set_header_bytes + i * 8);
    if (bytes > rest.size())
      return damaged_set(
          fmt::format("part {} of {} bytes exceeds the {} that are left", i, bytes, rest.size()));
    parts.push_back(rest.first(bytes));
    std::size_t const padded = bytes + (8 - bytes % 8) % 8;
    rest = rest.subspan(std::min<std::size_t>(padded, rest.size())); // the last part's padding may be missing
  }
  return parts;
}

} // namespace pegasus::image
