// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/array.h"

#include "frontend/cuda/testing/array_fixture.h"

#include <numeric>
#include <vector>

using namespace pegasus::driver::testing;

namespace {

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

// Between packed values and all of an array.
CUDA_MEMCPY3D whole_box(CUDA_ARRAY3D_DESCRIPTOR const& description) {
  CUDA_MEMCPY3D box{};
  box.WidthInBytes = description.Width * sizeof(float);
  box.Height = std::max<std::size_t>(description.Height, 1);
  box.Depth = std::max<std::size_t>(description.Depth, 1);
  return box;
}

CUresult fill(CUarray array, CUDA_ARRAY3D_DESCRIPTOR const& description, std::vector<float> const& values) {
  CUDA_MEMCPY3D box = whole_box(description);
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = values.data();
  box.srcPitch = box.WidthInBytes;
  box.srcHeight = box.Height;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.dstArray = array;
  return cuMemcpy3D_v2(&box);
}

std::vector<float> contents(CUarray array, CUDA_ARRAY3D_DESCRIPTOR const& description) {
  CUDA_MEMCPY3D box = whole_box(description);
  std::vector<float> values(description.Width * box.Height * box.Depth);
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  box.srcArray = array;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = values.data();
  box.dstPitch = box.WidthInBytes;
  box.dstHeight = box.Height;
  REQUIRE(cuMemcpy3D_v2(&box) == CUDA_SUCCESS);
  return values;
}

} // namespace

TEST_CASE_METHOD(ArrayFixture, "an array is what was asked for, until it is destroyed") {
  CUarray const array = create(described(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST));
  REQUIRE(device.arrays.size() == 1);
  pegasus_array_shape const& shape = device.arrays[0];
  CHECK((shape.width == 8 && shape.height == 4 && shape.depth == 0 && shape.levels == 1));
  CHECK((shape.format == CU_AD_FORMAT_FLOAT && shape.channels == 1 && shape.flags == PEGASUS_ARRAY_SURFACE));
  CUDA_ARRAY3D_DESCRIPTOR told{};
  CHECK(cuArray3DGetDescriptor_v2(&told, array) == CUDA_SUCCESS);
  CHECK((told.Width == 8 && told.Height == 4 && told.Flags == CUDA_ARRAY3D_SURFACE_LDST));
  CUDA_ARRAY_DESCRIPTOR plain{};
  CHECK(cuArrayGetDescriptor_v2(&plain, array) == CUDA_SUCCESS);
  CHECK((plain.Width == 8 && plain.Height == 4 && plain.Format == CU_AD_FORMAT_FLOAT &&
         plain.NumChannels == 1));
  CHECK(device.memory.size() == 1);
  CHECK(cuArrayDestroy(array) == CUDA_SUCCESS);
  CHECK(device.memory.empty());
  CHECK(cuArrayDestroy(array) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuArray3DGetDescriptor_v2(&told, array) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(ArrayFixture, "arrays that CUDA or the device does not have") {
  CHECK(try_to_create(described(0, 0, 0)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(65, 1, 0)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(64, 32, 0)) == CUDA_SUCCESS);
  CHECK(try_to_create(described(64, 33, 0)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(17, 1, 1)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(8, 0, 8)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(8, 8, 0, CUDA_ARRAY3D_LAYERED)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(8, 8, 9, CUDA_ARRAY3D_LAYERED)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(8, 8, 6, CUDA_ARRAY3D_CUBEMAP)) == CUDA_SUCCESS);
  CHECK(try_to_create(described(8, 4, 6, CUDA_ARRAY3D_CUBEMAP)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(try_to_create(described(8, 8, 0, CUDA_ARRAY3D_SPARSE)) == CUDA_ERROR_NOT_SUPPORTED);
  CUDA_ARRAY3D_DESCRIPTOR other = described(8, 8, 0);
  other.NumChannels = 3;
  CHECK(try_to_create(other) == CUDA_ERROR_INVALID_VALUE);
  other.NumChannels = 1;
  other.Format = CU_AD_FORMAT_NV12;
  CHECK(try_to_create(other) == CUDA_ERROR_NOT_SUPPORTED);
  device.set_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 0);
  CHECK(try_to_create(described(8, 8, 0)) == CUDA_ERROR_NOT_SUPPORTED); // a device without textures
}

TEST_CASE_METHOD(ArrayFixture, "boxes are copied to an array, from it and within it") {
  CUDA_ARRAY3D_DESCRIPTOR const description = described(8, 4, 3);
  CUarray const array = create(description);
  std::vector<float> const values = counted(8 * 4 * 3);
  REQUIRE(fill(array, description, values) == CUDA_SUCCESS);
  CHECK(contents(array, description) == values);

  CUarray const second = create(description);
  CUDA_MEMCPY3D part{};
  part.srcMemoryType = part.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  part.srcArray = array;
  part.srcXInBytes = 4;
  part.srcY = 1;
  part.srcZ = 2;
  part.dstArray = second;
  part.dstZ = 1;
  part.WidthInBytes = 8;
  part.Height = 2;
  part.Depth = 1;
  REQUIRE(cuMemcpy3D_v2(&part) == CUDA_SUCCESS);
  std::vector<float> expected(values.size());
  for (std::size_t y = 0; y < 2; ++y)
    for (std::size_t x = 0; x < 2; ++x)
      expected[(1 * 4 + y) * 8 + x] = values[(2 * 4 + y + 1) * 8 + x + 1];
  CHECK(contents(second, description) == expected);
}

TEST_CASE_METHOD(ArrayFixture, "a copy that leaves the array is refused") {
  CUarray const array = create(described(8, 4, 3));
  CUDA_MEMCPY3D box = whole_box(described(8, 4, 3));
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.srcArray = box.dstArray = array;
  CHECK(cuMemcpy3D_v2(&box) == CUDA_SUCCESS);
  SECTION("to the right") { box.srcXInBytes = 1; }
  SECTION("below") { box.dstY = 1; }
  SECTION("behind") { box.srcZ = 1; }
  SECTION("far behind") { box.dstZ = ~std::size_t{0}; }
  SECTION("by its extent") { box.Depth = 4; }
  CHECK(cuMemcpy3D_v2(&box) == CUDA_ERROR_INVALID_VALUE);
  box = whole_box(described(8, 4, 3));
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.srcArray = array;
  box.dstArray = reinterpret_cast<CUarray>(&box);
  CHECK(cuMemcpy3D_v2(&box) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(ArrayFixture, "plain ranges go to an array of one dimension, and come back") {
  CUarray const array = create(described(16, 0, 0)), second = create(described(16, 0, 0));
  std::vector<float> const values = counted(16);
  std::vector<float> back(16);
  CUdeviceptr const memory = allocate(64);
  CHECK(cuMemcpyHtoA_v2(array, 0, values.data(), 64) == CUDA_SUCCESS);
  CHECK(cuMemcpyAtoA_v2(second, 0, array, 0, 64) == CUDA_SUCCESS);
  CHECK(cuMemcpyAtoD_v2(memory, second, 0, 64) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoA_v2(array, 8, memory, 56) == CUDA_SUCCESS);
  CHECK(cuMemcpyAtoH_v2(back.data(), array, 8, 56) == CUDA_SUCCESS);
  back.resize(14);
  CHECK(back == counted(14));
  CHECK(cuMemcpyHtoAAsync_v2(array, 60, values.data(), 4, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemcpyAtoHAsync_v2(back.data(), array, 60, 4, nullptr) == CUDA_SUCCESS);
  CHECK(back[0] == 1.0F);
  CHECK(cuMemcpyHtoA_v2(array, 60, values.data(), 8) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(ArrayFixture, "the levels of a mipmapped array are arrays") {
  CUDA_ARRAY3D_DESCRIPTOR const description = described(8, 4, 0);
  CUmipmappedArray mipmap = nullptr;
  REQUIRE(cuMipmappedArrayCreate(&mipmap, &description, 99) == CUDA_SUCCESS);
  CHECK(device.arrays.back().levels == 4);
  CUarray level = nullptr, last = nullptr;
  REQUIRE(cuMipmappedArrayGetLevel(&level, mipmap, 1) == CUDA_SUCCESS);
  REQUIRE(cuMipmappedArrayGetLevel(&last, mipmap, 3) == CUDA_SUCCESS);
  CHECK(cuMipmappedArrayGetLevel(&last, mipmap, 4) == CUDA_ERROR_INVALID_VALUE);
  CUDA_ARRAY3D_DESCRIPTOR told{};
  REQUIRE(cuArray3DGetDescriptor_v2(&told, level) == CUDA_SUCCESS);
  CHECK((told.Width == 4 && told.Height == 2 && told.Depth == 0));
  CHECK(fill(level, told, counted(8)) == CUDA_SUCCESS);
  CHECK(contents(level, told) == counted(8));
  CHECK(contents(last, described(1, 1, 0)) == std::vector<float>{0.0F});
  CHECK(cuArrayDestroy(level) == CUDA_ERROR_INVALID_HANDLE); // it is part of the other
  CHECK(cuMipmappedArrayDestroy(mipmap) == CUDA_SUCCESS);
  CHECK(device.memory.empty());
  CHECK(cuArray3DGetDescriptor_v2(&told, level) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuMipmappedArrayGetLevel(&level, mipmap, 0) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(ArrayFixture, "arrays end with their context") {
  CUcontext second = nullptr;
  REQUIRE(cuCtxCreate_v2(&second, 0, 0) == CUDA_SUCCESS);
  CUarray const array = create(described(8, 4, 0));
  CUmipmappedArray mipmap = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR const description = described(8, 4, 0);
  REQUIRE(cuMipmappedArrayCreate(&mipmap, &description, 2) == CUDA_SUCCESS);
  CHECK(device.memory.size() == 2);
  CHECK(cuCtxDestroy_v2(second) == CUDA_SUCCESS);
  CHECK(device.memory.empty());
  CHECK(cuArrayDestroy(array) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(ArrayFixture, "a graph's copy to an array finds it when it is instantiated") {
  CUDA_ARRAY3D_DESCRIPTOR const description = described(4, 2, 0);
  CUarray const array = create(description);
  CUdeviceptr const memory = allocate(32);
  std::vector<float> const values = counted(8);
  REQUIRE(cuMemcpyHtoD_v2(memory, values.data(), 32) == CUDA_SUCCESS);
  CUDA_MEMCPY3D box = whole_box(description);
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = memory;
  box.srcPitch = 16;
  box.srcHeight = 2;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.dstArray = array;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  REQUIRE(cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
  REQUIRE(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &box, context) == CUDA_SUCCESS);
  CUDA_MEMCPY3D told{};
  REQUIRE(cuGraphMemcpyNodeGetParams(node, &told) == CUDA_SUCCESS);
  CHECK((told.dstMemoryType == CU_MEMORYTYPE_ARRAY && told.dstArray == array));
  REQUIRE(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
  REQUIRE(cuGraphLaunch(exec, nullptr) == CUDA_SUCCESS);
  CHECK(contents(array, description) == values);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
}
