// SPDX-License-Identifier: Apache-2.0
// cuTensorMap*: the driver on the other side encodes; its 128 bytes are opaque here, too.
#include "frontend/cuda/driver.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace pegasus::driver {
namespace {

enum : std::uint8_t {
  tiled = 1,
  im2col = 2,
  im2col_wide = 3,
  other_address = 4
}; // struct pegasus_tensor_map

static_assert(sizeof(CUtensorMap) == PEGASUS_TENSOR_MAP_BYTES);

// The caller's arguments, as far as the rank says that they exist.
class Description {
public:
  Description(std::uint8_t kind, unsigned rank, void* address) {
    map_.kind = kind;
    map_.address = reinterpret_cast<std::uint64_t>(address);
    unsigned const least = kind == tiled ? 1 : 3; // channels, pixels, images
    valid_ = kind == other_address || (rank >= least && rank <= PEGASUS_TENSOR_RANK_MAX);
    if (valid_) map_.rank = static_cast<std::uint8_t>(rank);
  }
  template <class T, std::size_t most> void array(T const* from, T (&to)[most], unsigned count) {
    if (from == nullptr && count != 0) valid_ = false;
    if (valid_) std::copy_n(from, count, to);
  }
  void common(CUtensorMapDataType type, cuuint64_t const* dimensions, cuuint64_t const* strides,
              cuuint32_t const* element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
              CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    array(dimensions, map_.dimensions, rank());
    array(strides, map_.strides, rank() - 1); // the first dimension's is the element
    array(element_strides, map_.element_strides, rank());
    number(type, map_.data_type);
    number(interleave, map_.interleave);
    number(swizzle, map_.swizzle);
    number(promotion, map_.promotion);
    number(fill, map_.fill);
  }
  // A number of one of CUDA's enumerations.
  void number(unsigned from, std::uint8_t& to) {
    if (from > std::numeric_limits<std::uint8_t>::max()) valid_ = false;
    to = static_cast<std::uint8_t>(from);
  }
  [[nodiscard]] pegasus_tensor_map& map() { return map_; }
  [[nodiscard]] unsigned rank() const { return map_.rank; }

  CUresult encode(CUtensorMap* target) {
    if (target == nullptr || reinterpret_cast<std::uintptr_t>(target) % 64 != 0)
      return CUDA_ERROR_INVALID_VALUE;
    return with_device([&](Channel& channel) {
      if (attribute(channel, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED) == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
      if (!valid_) return CUDA_ERROR_INVALID_VALUE;
      CUtensorMap encoded{};
      auto const sent = std::as_bytes(std::span(&map_, 1));
      CUresult const status = ask(channel, pegasus_tensor_map_encode_request{}, sent,
                                  std::as_writable_bytes(std::span(&encoded, 1)))
                                  .status;
      if (status == CUDA_SUCCESS) std::memcpy(target, &encoded, sizeof encoded);
      return status;
    });
  }

private:
  pegasus_tensor_map map_{};
  bool valid_ = false;
};

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                cuuint64_t const* dimensions, cuuint64_t const* strides,
                                cuuint32_t const* box, cuuint32_t const* element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  Description tensor(tiled, rank, address);
  tensor.common(type, dimensions, strides, element_strides, interleave, swizzle, promotion, fill);
  tensor.array(box, tensor.map().box, tensor.rank());
  return tensor.encode(map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 cuuint64_t const* dimensions, cuuint64_t const* strides, int const* lower,
                                 int const* upper, cuuint32_t channels, cuuint32_t pixels,
                                 cuuint32_t const* element_strides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
  Description tensor(im2col, rank, address);
  tensor.common(type, dimensions, strides, element_strides, interleave, swizzle, promotion, fill);
  tensor.array(lower, tensor.map().lower, tensor.rank() - 2); // of the pixels: not of channels and images
  tensor.array(upper, tensor.map().upper, tensor.rank() - 2);
  tensor.map().channels = channels;
  tensor.map().pixels = pixels;
  return tensor.encode(map);
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                     void* address, cuuint64_t const* dimensions, cuuint64_t const* strides,
                                     int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                                     cuuint32_t const* element_strides, CUtensorMapInterleave interleave,
                                     CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  Description tensor(im2col_wide, rank, address);
  tensor.common(type, dimensions, strides, element_strides, interleave, swizzle, promotion, fill);
  tensor.map().lower[0] = lower;
  tensor.map().upper[0] = upper;
  tensor.map().channels = channels;
  tensor.map().pixels = pixels;
  tensor.number(mode, tensor.map().mode);
  return tensor.encode(map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  if (map == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Description tensor(other_address, 0, address);
  std::memcpy(tensor.map().descriptor, map, sizeof *map);
  return tensor.encode(map);
}
