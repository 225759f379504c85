// SPDX-License-Identifier: Apache-2.0
// Arrays and textures: what the driver is told.
#include "frontend/cudart/array.h"

#include "frontend/cudart/testing/fake_cuda.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>
#include <vector>

using namespace pegasus::cudart;
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // programs call them nevertheless

namespace {

struct Array {
  cudaArray_t handle = nullptr;
  Array(std::size_t width, std::size_t height, std::size_t depth = 0) {
    cudaChannelFormatDesc const shorts = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSigned);
    REQUIRE(cudaMalloc3DArray(&handle, &shorts, {width, height, depth}, 0) == cudaSuccess);
  }
  Array(Array const&) = delete;
  Array& operator=(Array const&) = delete;
  ~Array() { cudaFreeArray(handle); }

  [[nodiscard]] std::vector<short> rows(std::size_t width, std::size_t height) const {
    std::vector<short> values(width * height);
    std::size_t const bytes = width * sizeof(short);
    REQUIRE(cudaMemcpy2DFromArray(values.data(), bytes, handle, 0, 0, bytes, height,
                                  cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }
};

std::vector<short> counted(std::size_t count) {
  std::vector<short> values(count);
  std::iota(values.begin(), values.end(), short{1});
  return values;
}

} // namespace

TEST_CASE("each channel description has its format, and comes back") {
  struct {
    cudaChannelFormatDesc texel;
    CUarray_format format;
    unsigned channels;
  } const formats[] = {{{8, 0, 0, 0, cudaChannelFormatKindSigned}, CU_AD_FORMAT_SIGNED_INT8, 1},
                       {{8, 8, 8, 8, cudaChannelFormatKindUnsigned}, CU_AD_FORMAT_UNSIGNED_INT8, 4},
                       {{16, 16, 0, 0, cudaChannelFormatKindSigned}, CU_AD_FORMAT_SIGNED_INT16, 2},
                       {{16, 0, 0, 0, cudaChannelFormatKindUnsigned}, CU_AD_FORMAT_UNSIGNED_INT16, 1},
                       {{16, 16, 16, 16, cudaChannelFormatKindFloat}, CU_AD_FORMAT_HALF, 4},
                       {{32, 0, 0, 0, cudaChannelFormatKindSigned}, CU_AD_FORMAT_SIGNED_INT32, 1},
                       {{32, 32, 0, 0, cudaChannelFormatKindUnsigned}, CU_AD_FORMAT_UNSIGNED_INT32, 2},
                       {{32, 32, 32, 32, cudaChannelFormatKindFloat}, CU_AD_FORMAT_FLOAT, 4}};
  for (auto const& [texel, format, channels] : formats) {
    TexelFormat to{};
    REQUIRE(convert(texel, to) == cudaSuccess);
    CHECK((to.format == format && to.channels == channels));
    cudaChannelFormatDesc const back = convert(to);
    CHECK(std::memcmp(&back, &texel, sizeof back) == 0);
  }
  TexelFormat none{};
  CHECK(convert({8, 0, 0, 0, cudaChannelFormatKindFloat}, none) == cudaErrorInvalidChannelDescriptor);
  CHECK(convert({8, 16, 0, 0, cudaChannelFormatKindSigned}, none) == cudaErrorInvalidChannelDescriptor);
  CHECK(convert({8, 8, 8, 0, cudaChannelFormatKindSigned}, none) == cudaErrorInvalidChannelDescriptor);
  CHECK(convert({64, 0, 0, 0, cudaChannelFormatKindSigned}, none) == cudaErrorInvalidChannelDescriptor);
  CHECK(convert({8, 8, 8, 0, cudaChannelFormatKindNV12}, none) == cudaErrorNotSupported);
}

TEST_CASE("an array says what it is") {
  Array const array(8, 4, 2);
  cudaChannelFormatDesc texel{};
  cudaExtent extent{};
  unsigned flags = 1;
  CHECK(cudaArrayGetInfo(&texel, &extent, &flags, array.handle) == cudaSuccess);
  CHECK((texel.x == 16 && texel.y == 0 && texel.f == cudaChannelFormatKindSigned));
  CHECK((extent.width == 8 && extent.height == 4 && extent.depth == 2 && flags == 0));
  CHECK(cudaFreeArray(nullptr) == cudaSuccess);
}

TEST_CASE("with an array, a box is counted in texels; memory's positions stay bytes") {
  Array const array(8, 4, 2);
  std::vector<short> const values = counted(8 * 4 * 2);
  cudaMemcpy3DParms box{};
  box.kind = cudaMemcpyHostToDevice;
  box.srcPtr = {const_cast<short*>(values.data()), 16, 8, 4};
  box.dstArray = array.handle;
  box.extent = {8, 4, 2};
  REQUIRE(cudaMemcpy3D(&box) == cudaSuccess);
  std::vector<short> back(4);
  cudaMemcpy3DParms part{};
  part.kind = cudaMemcpyDeviceToHost;
  part.srcArray = array.handle;
  part.srcPos = {2, 1, 1};
  part.dstPtr = {back.data(), 4, 2, 2};
  part.extent = {2, 2, 1};
  REQUIRE(cudaMemcpy3D(&part) == cudaSuccess);
  CHECK(back ==
        std::vector<short>{values[32 + 8 + 2], values[32 + 8 + 3], values[32 + 16 + 2], values[32 + 16 + 3]});
  part.dstPtr.pitch = 3; // two texels are four bytes
  CHECK(cudaMemcpy3D(&part) == cudaErrorInvalidPitchValue);
  part.srcPtr = part.dstPtr; // memory and an array
  CHECK(cudaMemcpy3D(&part) == cudaErrorInvalidValue);
}

TEST_CASE("rows go to an array from a byte on") {
  Array const array(4, 3);
  std::vector<short> const values = counted(4);
  REQUIRE(cudaMemcpy2DToArray(array.handle, 4, 1, values.data(), 4, 4, 2, cudaMemcpyHostToDevice) ==
          cudaSuccess);
  CHECK(array.rows(4, 3) == std::vector<short>{0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4});
  Array const second(4, 3);
  REQUIRE(cudaMemcpy2DArrayToArray(second.handle, 0, 0, array.handle, 4, 1, 4, 2, cudaMemcpyDeviceToDevice) ==
          cudaSuccess);
  CHECK(second.rows(4, 3) == std::vector<short>{1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0});
  CHECK(cudaMemcpy2DToArray(array.handle, 1, 1, values.data(), 4, 4, 2, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue); // within a texel
}

TEST_CASE("a range goes on in the next rows") {
  Array const array(4, 4);
  std::vector<short> const values = counted(11);
  FakeCuda& fake = fake_cuda();
  fake.box_copies = 0;
  REQUIRE(cudaMemcpyToArray(array.handle, 4, 0, values.data(), 22, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(fake.box_copies == 3); // the rest of a row, two rows, the beginning of one
  CHECK(array.rows(4, 4) == std::vector<short>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0});
  std::vector<short> back(11);
  REQUIRE(cudaMemcpyFromArray(back.data(), array.handle, 4, 0, 22, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == values);
  Array const narrow(3, 4);
  REQUIRE(cudaMemcpyArrayToArray(narrow.handle, 0, 0, array.handle, 4, 0, 22, cudaMemcpyDeviceToDevice) ==
          cudaSuccess);
  CHECK(narrow.rows(3, 4) == std::vector<short>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0});
  CHECK(cudaMemcpyToArray(array.handle, 8, 0, values.data(), 2, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
}

TEST_CASE("a texture is described to the driver, and comes back") {
  Array const array(4, 4);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array.handle;
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = cudaAddressModeMirror;
  sampling.addressMode[1] = cudaAddressModeBorder;
  sampling.filterMode = cudaFilterModeLinear;
  sampling.readMode = cudaReadModeNormalizedFloat;
  sampling.sRGB = 1;
  sampling.borderColor[2] = 0.5F;
  sampling.normalizedCoords = 1;
  sampling.maxAnisotropy = 8;
  sampling.mipmapFilterMode = cudaFilterModeLinear;
  sampling.mipmapLevelBias = 1.5F;
  sampling.minMipmapLevelClamp = 0.25F;
  sampling.maxMipmapLevelClamp = 4.0F;
  sampling.seamlessCubemap = 1;
  cudaTextureObject_t texture = 0;
  REQUIRE(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) == cudaSuccess);
  CHECK(texture == 77);
  CUDA_TEXTURE_DESC const& told = fake_cuda().texture_sampling;
  CHECK(fake_cuda().texture_resource.res.array.hArray == driver_array(array.handle));
  CHECK(
      (told.addressMode[0] == CU_TR_ADDRESS_MODE_MIRROR && told.addressMode[1] == CU_TR_ADDRESS_MODE_BORDER));
  CHECK(told.flags == (CU_TRSF_SRGB | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SEAMLESS_CUBEMAP));
  cudaTextureDesc back{};
  REQUIRE(cudaGetTextureObjectTextureDesc(&back, texture) == cudaSuccess);
  CHECK(std::memcmp(&back, &sampling, sizeof back) == 0);
  sampling.readMode = cudaReadModeElementType;
  REQUIRE(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) == cudaSuccess);
  CHECK((fake_cuda().texture_sampling.flags & CU_TRSF_READ_AS_INTEGER) != 0);

  char memory[64] = {};
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsigned);
  resource.res.pitch2D.width = 3;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = 32;
  REQUIRE(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) == cudaSuccess);
  auto const& rows = fake_cuda().texture_resource.res.pitch2D;
  CHECK((rows.format == CU_AD_FORMAT_UNSIGNED_INT8 && rows.numChannels == 2 && rows.width == 3 &&
         rows.height == 2));
  cudaResourceDesc same{};
  REQUIRE(cudaGetTextureObjectResourceDesc(&same, texture) == cudaSuccess);
  CHECK((same.res.pitch2D.devPtr == memory && same.res.pitch2D.desc.y == 8 &&
         same.res.pitch2D.pitchInBytes == 32));
}
