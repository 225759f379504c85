// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/tensor_map.h"

#include <catch2/catch.hpp>
#include <cstring>

using pegasus::cuda::Driver;
using pegasus::cuda::encode;
using pegasus::device::TensorMap;

namespace {

// What the driver was given: "descriptors" that begin with it.
struct Given {
  std::uint64_t function, type, rank, address, dimension, stride, box, element_stride;
  std::int64_t lower, upper;
  std::uint64_t swizzle;
};

CUresult give(CUtensorMap* map, Given const& given) {
  static_assert(sizeof given <= sizeof *map);
  std::memcpy(map, &given, sizeof given);
  return CUDA_SUCCESS;
}

Driver with_tensor_maps() {
  Driver driver;
  driver.cuTensorMapEncodeTiled = [](CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                     void* address, cuuint64_t const* dimensions, cuuint64_t const* strides,
                                     cuuint32_t const* box, cuuint32_t const* elements, CUtensorMapInterleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                     CUtensorMapFloatOOBfill) {
    return give(map, {1, type, rank, reinterpret_cast<std::uint64_t>(address), dimensions[4], strides[3],
                      box[4], elements[4], 0, 0, swizzle});
  };
  driver.cuTensorMapEncodeIm2col =
      [](CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
         cuuint64_t const* dimensions, cuuint64_t const* strides, int const* lower, int const* upper,
         cuuint32_t channels, cuuint32_t, cuuint32_t const* elements, CUtensorMapInterleave,
         CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
        return give(map, {2, type, rank, reinterpret_cast<std::uint64_t>(address), dimensions[4], strides[3],
                          channels, elements[4], lower[2], upper[2], swizzle});
      };
  driver.cuTensorMapReplaceAddress = [](CUtensorMap* map, void* address) {
    Given given;
    std::memcpy(&given, map, sizeof given);
    given.address = reinterpret_cast<std::uint64_t>(address);
    return give(map, given);
  };
  return driver;
}

Given given_of(TensorMap::Descriptor const& descriptor) {
  Given given;
  std::memcpy(&given, descriptor.data(), sizeof given);
  return given;
}

} // namespace

TEST_CASE("the driver encodes tensor maps") {
  Driver const driver = with_tensor_maps();
  TensorMap map;
  map.address = 0x1000;
  map.rank = 5;
  map.dimensions[4] = 40;
  map.strides[3] = 30;
  map.box[4] = 20;
  map.element_strides[4] = 2;
  map.lower[2] = -1;
  map.upper[2] = 1;
  map.channels = 64;
  map.data_type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  map.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  TensorMap::Descriptor made{};
  REQUIRE(encode(driver, map, made) == CUDA_SUCCESS);
  Given given = given_of(made);
  CHECK(given.function == 1);
  CHECK(given.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  CHECK(given.rank == 5);
  CHECK(given.address == 0x1000);
  CHECK(given.dimension == 40);
  CHECK(given.stride == 30);
  CHECK(given.box == 20);
  CHECK(given.element_stride == 2);
  CHECK(given.swizzle == CU_TENSOR_MAP_SWIZZLE_128B);

  TensorMap other;
  other.kind = TensorMap::Kind::other_address;
  other.before = made;
  other.address = 0x2000;
  REQUIRE(encode(driver, other, made) == CUDA_SUCCESS);
  CHECK(given_of(made).address == 0x2000);
  CHECK(given_of(made).dimension == 40);

  map.kind = TensorMap::Kind::im2col;
  REQUIRE(encode(driver, map, made) == CUDA_SUCCESS);
  given = given_of(made);
  CHECK(given.function == 2);
  CHECK(given.lower == -1);
  CHECK(given.upper == 1);
  CHECK(given.box == 64);
}

TEST_CASE("a driver that has no such function is not asked") {
  Driver const driver = with_tensor_maps();
  TensorMap map;
  map.kind = TensorMap::Kind::im2col_wide;
  TensorMap::Descriptor made{};
  CHECK(encode(driver, map, made) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(encode(Driver{}, {}, made) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(made == TensorMap::Descriptor{});
}
