// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/array_description.h"

#include "frontend/protocol/array_layout.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace pegasus::driver {
namespace {

static_assert(PEGASUS_ARRAY_LAYERED == CUDA_ARRAY3D_LAYERED &&
              PEGASUS_ARRAY_SURFACE == CUDA_ARRAY3D_SURFACE_LDST &&
              PEGASUS_ARRAY_CUBEMAP == CUDA_ARRAY3D_CUBEMAP &&
              PEGASUS_ARRAY_GATHER == CUDA_ARRAY3D_TEXTURE_GATHER);
constexpr unsigned supported_flags =
    PEGASUS_ARRAY_LAYERED | PEGASUS_ARRAY_SURFACE | PEGASUS_ARRAY_CUBEMAP | PEGASUS_ARRAY_GATHER;

using Description = CUDA_ARRAY3D_DESCRIPTOR;

bool is_layered(Description const& d) { return (d.Flags & CUDA_ARRAY3D_LAYERED) != 0; }
bool is_cubemap(Description const& d) { return (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0; }

// The device's largest texture of this kind, by the attributes that say it.
class Limits {
public:
  Limits(Channel& channel, Description const& description, bool mipmapped)
      : channel_(channel), description_(description), mipmapped_(mipmapped) {}

  [[nodiscard]] bool hold() const {
    bool const one = description_.Height == 0;
    if (is_cubemap(description_))
      return is_layered(description_) ? fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, {},
                                            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)
                                      : fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH, {}, {});
    if (is_layered(description_))
      return one ? fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH, {},
                       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS)
                 : fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
                       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
    if (description_.Depth != 0)
      return fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
                 CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH) ||
             fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
                 CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
                 CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE);
    if (one)
      return fit(mipmapped_ ? CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH
                            : CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
                 {}, {});
    return mipmapped_ ? fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
                            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, {})
                      : fit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
                            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, {});
  }

private:
  using Attribute = std::optional<CUdevice_attribute>;
  [[nodiscard]] bool fit(Attribute width, Attribute height, Attribute depth) const {
    return fits(description_.Width, width) && fits(description_.Height, height) &&
           fits(description_.Depth, depth);
  }
  [[nodiscard]] bool fits(std::size_t texels, Attribute limit) const {
    return !limit || texels <= texels_at_most(channel_, *limit);
  }

  Channel& channel_;
  Description const& description_;
  bool mipmapped_;
};

bool extents_are_right(Description const& d) {
  if (d.Width == 0) return false;
  if (is_cubemap(d))
    return d.Width == d.Height && (is_layered(d) ? d.Depth != 0 && d.Depth % 6 == 0 : d.Depth == 6);
  if (is_layered(d)) return d.Depth != 0;
  return d.Height != 0 || d.Depth == 0;
}

} // namespace

std::size_t texels_at_most(Channel& channel, CUdevice_attribute number) {
  return static_cast<std::size_t>(std::clamp(attribute(channel, number), 0, int{PEGASUS_ARRAY_EXTENT_MAX}));
}

CUresult check_format(TexelFormat texel) {
  switch (texel.format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_HALF:
  case CU_AD_FORMAT_FLOAT:
    break;
  default:
    return texel.format > CU_AD_FORMAT_FLOAT ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  }
  bool const right = texel.channels == 1 || texel.channels == 2 || texel.channels == 4;
  return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

std::uint32_t bytes_of(TexelFormat texel) {
  return pegasus_texel_bytes(static_cast<std::uint8_t>(texel.format),
                             static_cast<std::uint8_t>(texel.channels));
}

CUresult check_description(Channel& channel, CUDA_ARRAY3D_DESCRIPTOR const& description, bool mipmapped) {
  if (CUresult const status = check_format(texel_of(description)); status != CUDA_SUCCESS) return status;
  if ((description.Flags & ~supported_flags) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (attribute(channel, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH) == 0) return CUDA_ERROR_NOT_SUPPORTED;
  bool const right = extents_are_right(description) && Limits(channel, description, mipmapped).hold();
  return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

unsigned most_levels(CUDA_ARRAY3D_DESCRIPTOR const& d) {
  std::size_t const depth = is_layered(d) || is_cubemap(d) ? 0 : d.Depth;
  return static_cast<unsigned>(std::bit_width(std::max({d.Width, d.Height, depth})));
}

} // namespace pegasus::driver
