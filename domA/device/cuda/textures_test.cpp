// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces are made of what is the task's, and only they are destroyed.
#include "domA/device/cuda/textures.h"

#include "domA/device/cuda/arrays.h"
#include "domA/device/cuda/driver_memory.h"
#include "domA/device/cuda/testing/virtual_arrays.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
namespace device = pegasus::device;
using device::Address;
using device::ArrayShape;
using device::Sampling;
using device::Status;
using device::TexelFormat;
using device::TextureSource;
using Kind = device::TextureSource::Kind;

namespace {

struct ContextTextures : VirtualArrays {
  DriverMemory backing{driver, transfers, state};
  pegasus::memory::TaskMemory memory{ranges, backing, {}};
  DriverArrays arrays{driver, transfers, memory, state};
  DriverTextures textures{driver, ranges, transfers.arrays(), state};
  Address plane = 0, mipmap = 0, plain = 0;
  std::uint64_t texture = 0, surface = 0;

  ContextTextures() {
    time.fill_takes = Nanos{0};
    REQUIRE(arrays.create({.width = 8, .height = 4, .surface = true}, plane) == Status::success);
    REQUIRE(arrays.create({.width = 8, .height = 4, .levels = 2}, mipmap) == Status::success);
    REQUIRE(memory.allocate(4096, plain) == Status::success);
  }
  Status create(TextureSource const& source) { return textures.create(source, {}, texture); }
  [[nodiscard]] CUarray handle(Address array, std::size_t level) {
    return transfers.arrays().find(array)->levels[level].handle;
  }
};

} // namespace

TEST_CASE("a texture reads an array, one of its levels, or memory") {
  ContextTextures context;
  CUDA_RESOURCE_DESC const& made = context.contents.resource;
  REQUIRE(context.create({.kind = Kind::level, .address = context.plane}) == Status::success);
  CHECK(context.contents.textures.contains(context.texture));
  CHECK(made.resType == CU_RESOURCE_TYPE_ARRAY);
  CHECK(made.res.array.hArray == context.handle(context.plane, 0));
  REQUIRE(context.create({.kind = Kind::level, .address = context.mipmap + 512}) == Status::success);
  CHECK(made.res.array.hArray == context.handle(context.mipmap, 1));
  REQUIRE(context.create({.kind = Kind::mipmap, .address = context.mipmap}) == Status::success);
  CHECK(made.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
  CHECK(made.res.mipmap.hMipmappedArray == context.contents.mipmaps.begin()->first);
  REQUIRE(context.create({.kind = Kind::mipmap, .address = context.plane}) == Status::success);
  CHECK(made.resType == CU_RESOURCE_TYPE_ARRAY); // the only level
  REQUIRE(context.create({.kind = Kind::linear,
                          .address = context.plain + 16,
                          .bytes = 4080,
                          .texel = {TexelFormat::s16, 2}}) == Status::success);
  CHECK(made.resType == CU_RESOURCE_TYPE_LINEAR);
  CHECK(made.res.linear.devPtr == context.plain + 16);
  CHECK(made.res.linear.sizeInBytes == 4080);
  CHECK(made.res.linear.format == CU_AD_FORMAT_SIGNED_INT16);
  CHECK(made.res.linear.numChannels == 2);
  REQUIRE(context.create({.kind = Kind::pitched,
                          .address = context.plain,
                          .pitch = 512,
                          .width = 128,
                          .height = 8,
                          .texel = {TexelFormat::f32, 1}}) == Status::success);
  CHECK(made.resType == CU_RESOURCE_TYPE_PITCH2D);
  CHECK(made.res.pitch2D.devPtr == context.plain);
  CHECK((made.res.pitch2D.width == 128 && made.res.pitch2D.height == 8));
  CHECK(made.res.pitch2D.pitchInBytes == 512);
}

TEST_CASE("a texture is read as it is said") {
  ContextTextures context;
  Sampling sampling{
      .address = {device::AddressMode::wrap, device::AddressMode::mirror, device::AddressMode::border},
      .filter = device::Filter::linear,
      .mipmap_filter = device::Filter::linear,
      .max_anisotropy = 8,
      .mipmap_bias = 0.5f,
      .mipmap_least = 1,
      .mipmap_most = 2,
      .border = {1, 2, 3, 4}};
  auto const flags_of = [&](bool Sampling::*set) {
    Sampling with = sampling;
    with.*set = true;
    REQUIRE(context.textures.create({.address = context.plane}, with, context.texture) == Status::success);
    return context.contents.sampling.flags;
  };
  CHECK(flags_of(&Sampling::reads_integers) == CU_TRSF_READ_AS_INTEGER);
  CHECK(flags_of(&Sampling::normalized_coordinates) == CU_TRSF_NORMALIZED_COORDINATES);
  CHECK(flags_of(&Sampling::srgb) == CU_TRSF_SRGB);
  CHECK(flags_of(&Sampling::seamless_cubemap) == CU_TRSF_SEAMLESS_CUBEMAP);
  CUDA_TEXTURE_DESC const& made = context.contents.sampling;
  CHECK((made.addressMode[0] == CU_TR_ADDRESS_MODE_WRAP && made.addressMode[1] == CU_TR_ADDRESS_MODE_MIRROR &&
         made.addressMode[2] == CU_TR_ADDRESS_MODE_BORDER));
  CHECK((made.filterMode == CU_TR_FILTER_MODE_LINEAR && made.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR));
  CHECK(made.maxAnisotropy == 8);
  CHECK((made.mipmapLevelBias == 0.5f && made.minMipmapLevelClamp == 1 && made.maxMipmapLevelClamp == 2));
  CHECK((made.borderColor[0] == 1 && made.borderColor[3] == 4));
  sampling.mipmap_bias = std::numeric_limits<float>::quiet_NaN();
  CHECK(context.textures.create({.address = context.plane}, sampling, context.texture) ==
        Status::invalid_value);
}

TEST_CASE("a texture or a surface of what is not there, or not the task's, is refused") {
  ContextTextures context;
  std::uint64_t const huge = ~std::uint64_t{0};
  Address const plain = context.plain;
  CHECK(context.create({.kind = Kind::level, .address = context.plane + 4}) == Status::invalid_value);
  CHECK(context.create({.kind = Kind::level, .address = plain}) == Status::invalid_value);
  CHECK(context.create({.kind = Kind::mipmap, .address = context.mipmap + 512}) == Status::invalid_value);
  CHECK(context.create({.kind = Kind::linear, .address = plain, .bytes = 4097}) == Status::invalid_value);
  CHECK(context.create({.kind = Kind::linear, .address = plain, .bytes = 0}) == Status::invalid_value);
  CHECK(context.create({.kind = Kind::linear, .address = context.plane, .bytes = 4}) ==
        Status::invalid_value);
  TextureSource pitched{.kind = Kind::pitched, .address = plain, .pitch = 512, .width = 128, .height = 9};
  CHECK(context.create(pitched) == Status::invalid_value);
  pitched.height = huge;
  CHECK(context.create(pitched) == Status::invalid_value);
  pitched.height = 1;
  pitched.width = (huge >> 2) + 2; // bytes that do not fit 64 bits
  CHECK(context.create(pitched) == Status::invalid_value);
  CHECK(context.textures.create_surface(context.mipmap, context.surface) == Status::invalid_value);
  CHECK(context.textures.create_surface(plain, context.surface) == Status::invalid_value);
  CHECK(context.textures.create_surface(context.plane + 4, context.surface) == Status::invalid_value);
  CHECK(context.contents.textures.empty());
  CHECK(context.contents.surfaces.empty());
  REQUIRE(context.arrays.destroy(context.plane) == Status::success);
  CHECK(context.create({.kind = Kind::level, .address = context.plane}) == Status::invalid_value);
}

TEST_CASE("what was made is destroyed once, and the rest with the context") {
  ContextTextures context;
  TextureSource const source{.kind = Kind::level, .address = context.plane};
  REQUIRE(context.create(source) == Status::success);
  REQUIRE(context.textures.create_surface(context.plane, context.surface) == Status::success);
  CHECK(context.contents.surfaces.contains(context.surface));
  CHECK(context.textures.destroy(context.surface) == Status::invalid_value);
  CHECK(context.textures.destroy_surface(context.texture) == Status::invalid_value);
  CHECK(context.textures.destroy(context.texture) == Status::success);
  CHECK(context.textures.destroy(context.texture) == Status::invalid_value);
  REQUIRE(context.create(source) == Status::success);
  REQUIRE(context.arrays.destroy(context.plane) == Status::success); // before what is made of it
  context.textures.close();
  CHECK(context.contents.textures.empty());
  CHECK(context.contents.surfaces.empty());
}

TEST_CASE("there are only so many") {
  ContextTextures context;
  TextureSource const source{.kind = Kind::level, .address = context.plane};
  for (std::size_t i = 1; i < DriverTextures::most; ++i)
    REQUIRE(context.create(source) == Status::success);
  REQUIRE(context.textures.create_surface(context.plane, context.surface) == Status::success);
  CHECK(context.create(source) == Status::out_of_memory);
  CHECK(context.textures.create_surface(context.plane, context.surface) == Status::out_of_memory);
  REQUIRE(context.textures.destroy(context.texture) == Status::success);
  CHECK(context.create(source) == Status::success);
}

TEST_CASE("a driver without textures, or that gives one twice") {
  ContextTextures context;
  TextureSource const source{.kind = Kind::level, .address = context.plane};
  SECTION("without") {
    context.driver.cuTexObjectCreate = nullptr;
    context.driver.cuSurfObjectDestroy = nullptr;
    CHECK(context.create(source) == Status::not_supported);
    CHECK(context.textures.create_surface(context.plane, context.surface) == Status::not_supported);
  }
  SECTION("twice") {
    REQUIRE(context.create(source) == Status::success);
    context.contents.made = context.texture - 1;
    CHECK(context.create(source) == Status::unknown);
  }
}
