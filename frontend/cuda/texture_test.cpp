// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/texture.h"

#include "frontend/cuda/testing/array_fixture.h"

using namespace pegasus::driver::testing;

namespace {

struct TextureFixture : ArrayFixture {
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC sampling{};

  void use(CUarray array) {
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
  }
  void use_linear(CUdeviceptr memory, std::size_t bytes) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {memory, CU_AD_FORMAT_UNSIGNED_INT8, 4, bytes};
  }
  void use_rows(CUdeviceptr memory, std::size_t width, std::size_t height, std::size_t pitch) {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, width, height, pitch};
  }
  CUtexObject texture() {
    CUtexObject handle = 0;
    REQUIRE(cuTexObjectCreate(&handle, &resource, &sampling, nullptr) == CUDA_SUCCESS);
    return handle;
  }
  CUresult try_texture(CUDA_RESOURCE_VIEW_DESC const* view = nullptr) {
    CUtexObject handle = 0;
    return cuTexObjectCreate(&handle, &resource, &sampling, view);
  }
};

} // namespace

TEST_CASE_METHOD(TextureFixture, "a texture of an array says how it is read") {
  use(create(described(8, 4, 0)));
  sampling.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
  sampling.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  sampling.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  sampling.maxAnisotropy = 4;
  sampling.mipmapLevelBias = 0.5F;
  sampling.maxMipmapLevelClamp = 3.0F;
  sampling.borderColor[1] = 0.25F;
  CUtexObject const handle = texture();
  REQUIRE(device.textures.size() == 1);
  pegasus_texture_create_request const& told = device.textures[0];
  CHECK(told.source == PEGASUS_TEXTURE_LEVEL);
  CHECK(device.memory.contains(told.address));
  CHECK((told.address_mode[0] == 3 && told.address_mode[1] == 1 && told.address_mode[2] == 0));
  CHECK((told.filter == 1 && told.mipmap_filter == 1));
  CHECK(told.flags == (PEGASUS_SAMPLING_NORMALIZED | PEGASUS_SAMPLING_SRGB));
  CHECK((told.max_anisotropy == 4 && told.mipmap_bias == 0.5F && told.mipmap_most == 3.0F &&
         told.border[1] == 0.25F));

  CUDA_RESOURCE_DESC same_resource{};
  CUDA_TEXTURE_DESC same_sampling{};
  CUDA_RESOURCE_VIEW_DESC view{};
  CHECK(cuTexObjectGetResourceDesc(&same_resource, handle) == CUDA_SUCCESS);
  CHECK(same_resource.res.array.hArray == resource.res.array.hArray);
  CHECK(cuTexObjectGetTextureDesc(&same_sampling, handle) == CUDA_SUCCESS);
  CHECK(same_sampling.mipmapLevelBias == 0.5F);
  CHECK(cuTexObjectGetResourceViewDesc(&view, handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuSurfObjectDestroy(handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuTexObjectDestroy(handle) == CUDA_SUCCESS);
  CHECK(device.ended_textures == std::vector<std::uint64_t>{handle});
  CHECK(cuTexObjectDestroy(handle) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(TextureFixture, "textures of mipmapped arrays and of their levels") {
  CUDA_ARRAY3D_DESCRIPTOR const description = described(8, 4, 0);
  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  REQUIRE(cuMipmappedArrayCreate(&mipmap, &description, 3) == CUDA_SUCCESS);
  REQUIRE(cuMipmappedArrayGetLevel(&level, mipmap, 1) == CUDA_SUCCESS);
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmap;
  (void)texture();
  use(level);
  (void)texture();
  REQUIRE(device.textures.size() == 2);
  CHECK(device.textures[0].source == PEGASUS_TEXTURE_MIPMAP);
  CHECK(device.textures[1].source == PEGASUS_TEXTURE_LEVEL);
  CHECK(device.textures[1].address == device.textures[0].address + 512); // 128 bytes, in whole units
}

TEST_CASE_METHOD(TextureFixture, "textures of memory lie in one allocation, within the device's limits") {
  CUdeviceptr const memory = allocate(8192);
  use_linear(memory, 1024);
  CHECK(try_texture() == CUDA_SUCCESS);
  CHECK((device.textures[0].source == PEGASUS_TEXTURE_LINEAR && device.textures[0].bytes == 1024));
  CHECK((device.textures[0].format == CU_AD_FORMAT_UNSIGNED_INT8 && device.textures[0].channels == 4));
  use_linear(memory, 1028); // 257 texels
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
  use_linear(memory + 8000, 1024);
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
  use_rows(memory, 64, 32, 256);
  CHECK(try_texture() == CUDA_SUCCESS);
  CHECK(
      (device.textures[1].width == 64 && device.textures[1].height == 32 && device.textures[1].pitch == 256));
  use_rows(memory, 64, 32, 260);
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
  use_rows(memory, 64, 32, 224);
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
  use_rows(memory, 64, 32, 288);
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
  use_rows(memory, 65, 1, 288);
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
  CHECK(device.textures.size() == 2);
}

TEST_CASE_METHOD(TextureFixture, "what cannot be filtered or is no description of CUDA's is refused") {
  CUDA_ARRAY3D_DESCRIPTOR description = described(8, 4, 0);
  description.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  use(create(description));
  CHECK(try_texture() == CUDA_SUCCESS);
  SECTION("integers with a linear filter") {
    sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
    CHECK(try_texture() == CUDA_SUCCESS); // they are fractions
    sampling.flags = CU_TRSF_READ_AS_INTEGER;
  }
  SECTION("an unknown flag") { sampling.flags = 0x100; }
  SECTION("flags of the resource") { resource.flags = 1; }
  CHECK(try_texture() == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(TextureFixture, "a view of the whole array is taken, another one refused") {
  use(create(described(8, 4, 0)));
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  view.width = 8;
  view.height = 4;
  CHECK(try_texture(&view) == CUDA_SUCCESS);
  view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  CHECK(try_texture(&view) == CUDA_ERROR_NOT_SUPPORTED);
  view.format = CU_RES_VIEW_FORMAT_NONE;
  view.width = 4;
  CHECK(try_texture(&view) == CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE_METHOD(TextureFixture, "surfaces are of arrays made for them, and end with their context") {
  CUcontext second = nullptr;
  REQUIRE(cuCtxCreate_v2(&second, 0, 0) == CUDA_SUCCESS);
  use(create(described(8, 4, 0)));
  CUsurfObject surface = 0;
  CHECK(cuSurfObjectCreate(&surface, &resource) == CUDA_ERROR_INVALID_VALUE);
  use(create(described(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST)));
  REQUIRE(cuSurfObjectCreate(&surface, &resource) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC told{};
  CHECK(cuSurfObjectGetResourceDesc(&told, surface) == CUDA_SUCCESS);
  CHECK(told.res.array.hArray == resource.res.array.hArray);
  CHECK(cuTexObjectDestroy(surface) == CUDA_ERROR_INVALID_VALUE);
  CUtexObject const handle = texture();
  REQUIRE(cuCtxDestroy_v2(second) == CUDA_SUCCESS);
  CHECK(device.ended_textures == std::vector<std::uint64_t>{surface, handle});
  CHECK(cuSurfObjectDestroy(surface) == CUDA_ERROR_INVALID_VALUE);
}
