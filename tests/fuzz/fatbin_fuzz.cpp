// SPDX-License-Identifier: Apache-2.0
// Any bytes as an image of either kind. The first byte chooses the kind, so that one corpus holds the
// seeds of both.
#include "domA/device/image/image.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::uint32_t const kind = data[0] & 3u;
  auto const image = std::as_bytes(std::span(data + 1, size - 1));
  auto const texts = pegasus::image::ptx_of_image(image, kind, 75);
  if (texts ? texts->empty() : texts.error().message.empty()) std::abort();
  return 0;
}
