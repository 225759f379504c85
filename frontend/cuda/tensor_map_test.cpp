// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/testing/fixture.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace pegasus::driver::testing;

namespace {

struct WithTensorMaps : Fixture {
  WithTensorMaps() { device.set_attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 1); }

  CUtensorMap map{};
  cuuint64_t dimensions[5] = {64, 32, 16, 8, 4};
  cuuint64_t strides[4] = {128, 4096, 65536, 524288};
  cuuint32_t box[5] = {8, 8, 4, 4, 2};
  cuuint32_t elements[5] = {1, 2, 3, 4, 5};
  int lower[3] = {-1, -2, -3}, upper[3] = {1, 2, 3};

  CUresult tiled(cuuint32_t rank) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, address, dimensions, strides,
                                  box, elements, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  }
  CUresult im2col(cuuint32_t rank) {
    return cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, address, dimensions, strides,
                                   lower, upper, 64, 128, elements, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  void* address = reinterpret_cast<void*>(std::uintptr_t{0x700000001000});
};

} // namespace

TEST_CASE_METHOD(WithTensorMaps, "a tensor map is encoded by the device's driver") {
  REQUIRE(tiled(5) == CUDA_SUCCESS);
  REQUIRE(device.tensor_maps.size() == 1);
  pegasus_tensor_map const& sent = device.tensor_maps[0];
  CHECK(sent.kind == 1);
  CHECK(sent.rank == 5);
  CHECK(sent.address == 0x700000001000);
  CHECK(std::memcmp(sent.dimensions, dimensions, sizeof dimensions) == 0);
  CHECK(std::memcmp(sent.strides, strides, sizeof strides) == 0);
  CHECK(std::memcmp(sent.box, box, sizeof box) == 0);
  CHECK(std::memcmp(sent.element_strides, elements, sizeof elements) == 0);
  CHECK(sent.data_type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  CHECK(sent.interleave == CU_TENSOR_MAP_INTERLEAVE_16B);
  CHECK(sent.swizzle == CU_TENSOR_MAP_SWIZZLE_128B);
  CHECK(sent.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  CHECK(sent.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  CHECK(map.opaque[15] == 0x7e7e7e7e7e7e7e7e);
  REQUIRE(cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(std::uintptr_t{0x42})) == CUDA_SUCCESS);
  CHECK(device.tensor_maps[1].kind == 4);
  CHECK(device.tensor_maps[1].address == 0x42);
  CHECK(device.tensor_maps[1].descriptor[127] == 0x7e);
}

TEST_CASE_METHOD(WithTensorMaps, "images have corners in two dimensions less") {
  REQUIRE(im2col(4) == CUDA_SUCCESS);
  pegasus_tensor_map const sent = device.tensor_maps.at(0);
  CHECK(sent.kind == 2);
  CHECK((sent.lower[0] == -1 && sent.lower[1] == -2 && sent.lower[2] == 0));
  CHECK((sent.upper[0] == 1 && sent.upper[1] == 2 && sent.upper[2] == 0));
  CHECK((sent.channels == 64 && sent.pixels == 128));
  REQUIRE(cuTensorMapEncodeIm2colWide(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, address, dimensions, strides,
                                      -7, 7, 64, 128, elements, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                      CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128, CU_TENSOR_MAP_SWIZZLE_NONE,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  CHECK(device.tensor_maps.at(1).kind == 3);
  CHECK(device.tensor_maps[1].lower[0] == -7);
  CHECK(device.tensor_maps[1].mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128);
}

// An array that ends at the end of a page.
TEST_CASE_METHOD(WithTensorMaps, "no more of an array is read than the rank says") {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages = static_cast<std::byte*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(pages + page, page, PROT_NONE) == 0);
  auto* const two = reinterpret_cast<cuuint64_t*>(pages + page - 2 * sizeof(cuuint64_t));
  CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address, two, two + 1,
                               reinterpret_cast<cuuint32_t*>(two + 1), reinterpret_cast<cuuint32_t*>(two + 1),
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  munmap(pages, 2 * page);
}

TEST_CASE_METHOD(WithTensorMaps, "what cannot be encoded is refused here, and the map stays as it was") {
  CHECK(tiled(0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(tiled(6) == CUDA_ERROR_INVALID_VALUE);
  CHECK(tiled(1u << 31) == CUDA_ERROR_INVALID_VALUE);
  CHECK(im2col(2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuTensorMapReplaceAddress(nullptr, address) == CUDA_ERROR_INVALID_VALUE);
  CHECK(device.tensor_maps.empty());
  device.next_status = CUDA_ERROR_INVALID_VALUE; // the driver's
  CHECK(tiled(5) == CUDA_ERROR_INVALID_VALUE);
  device.set_attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 0);
  CHECK(tiled(5) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(map.opaque[0] == 0);
  CHECK(device.tensor_maps.size() == 1);
}
