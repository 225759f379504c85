// SPDX-License-Identifier: Apache-2.0
// A device with textures, of few texels, for one test.
#pragma once

#include "frontend/cuda/testing/fixture.h"

#include <array>

namespace pegasus::driver::testing {

struct ArrayFixture : Fixture {
  static constexpr std::array limits = {
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, 64},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 64},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, 32},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, 16},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, 16},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH, 16},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 32},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 32},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 8},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 32},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 32},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH, 16},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 256},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 64},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 32},
      std::pair{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, 1024},
      std::pair{CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
  };

  ArrayFixture() {
    for (auto const& [number, value] : limits)
      device.set_attribute(number, value);
    device.arrays.clear();
    device.textures.clear();
    device.ended_textures.clear();
  }
  ~ArrayFixture() {
    for (auto const& [number, value] : limits)
      device.set_attribute(number, 0);
  }
  ArrayFixture(ArrayFixture const&) = delete;
  ArrayFixture& operator=(ArrayFixture const&) = delete;

  static CUDA_ARRAY3D_DESCRIPTOR described(std::size_t width, std::size_t height, std::size_t depth,
                                           unsigned flags = 0) {
    return {.Width = width,
            .Height = height,
            .Depth = depth,
            .Format = CU_AD_FORMAT_FLOAT,
            .NumChannels = 1,
            .Flags = flags};
  }
  static CUarray create(CUDA_ARRAY3D_DESCRIPTOR const& description) {
    CUarray array = nullptr;
    REQUIRE(cuArray3DCreate_v2(&array, &description) == CUDA_SUCCESS);
    return array;
  }
  static CUresult try_to_create(CUDA_ARRAY3D_DESCRIPTOR const& description) {
    CUarray array = nullptr;
    return cuArray3DCreate_v2(&array, &description);
  }
};

} // namespace pegasus::driver::testing
