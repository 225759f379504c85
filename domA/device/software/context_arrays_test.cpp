// SPDX-License-Identifier: Apache-2.0
// Arrays, and what textures and surfaces may be made of. What kernels read through them: exec/texture.
#include "domA/device/array_levels.h"
#include "domA/device/memory/quota_test_fixture.h"
#include "domA/device/software/arrays.h"
#include "domA/device/software/context.h"
#include "domA/device/software/context_test_fixture.h"

#include <array>

using namespace pegasus;
using namespace pegasus::software;
using namespace pegasus::software::test;
using device::ArrayShape;
using device::TextureSource;

namespace {

constexpr device::Texel f32{device::TexelFormat::f32, 1};
constexpr ArrayShape two_levels{.width = 8, .height = 4, .texel = f32, .surface = true, .levels = 2};

device::Address create(Fixture& f, ArrayShape const& shape) {
  device::Address base = 0;
  REQUIRE(f.context->create_array(shape, base) == Status::success);
  return base;
}

Status create_texture(Fixture& f, TextureSource const& source) {
  std::uint64_t texture = 0;
  Status const status = f.context->create_texture(source, {}, texture);
  CHECK((status == Status::success) == (texture != 0));
  return status;
}

} // namespace

TEST_CASE("an array is zeroed memory that copies use, and is charged") {
  Fixture f;
  std::uint64_t const before = f.context->memory_used();
  device::Address const base = create(f, two_levels);
  CHECK(f.context->memory_used() - before >= device::bytes_of(two_levels));
  CHECK(f.read<float>(base, 8 * 4) == std::vector<float>(8 * 4, 0.0F));
  device::Address const second = base + device::level_of(two_levels, 1).offset;
  f.write(second, std::vector<float>(4 * 2, 1.5F));
  CHECK(f.read<float>(second, 4 * 2) == std::vector<float>(4 * 2, 1.5F));
  CHECK(f.context->destroy_array(base + 4) == Status::invalid_value);
  CHECK(f.context->destroy_array(base) == Status::success);
  CHECK(f.context->destroy_array(base) == Status::invalid_value);
  CHECK(f.context->memory_used() == before);
}

TEST_CASE("who has no room for an array is told whose limit it is") {
  memory::test::QuotaMemory memory(100 << 20);
  Fixture f(Options{.memory_bytes = 64 << 20, .quota = memory.take(0, 1, {1 << 20})});
  device::Address base = 0;
  CHECK(f.context->create_array({.width = 1024, .height = 1024, .texel = f32}, base) ==
        Status::out_of_memory);
  CHECK(f.output(device::Output::Kind::diagnostic).find("its domain's limit of 1.0 MiB") !=
        std::string::npos);
}

TEST_CASE("textures and surfaces are made of arrays that exist") {
  Fixture f;
  using Kind = TextureSource::Kind;
  device::Address const base = create(f, two_levels);
  device::Address const second = base + device::level_of(two_levels, 1).offset;
  CHECK(create_texture(f, {.kind = Kind::mipmap, .address = base}) == Status::success);
  CHECK(create_texture(f, {.kind = Kind::mipmap, .address = second}) == Status::invalid_value);
  CHECK(create_texture(f, {.kind = Kind::level, .address = base}) == Status::success);
  CHECK(create_texture(f, {.kind = Kind::level, .address = second}) == Status::success);
  CHECK(create_texture(f, {.kind = Kind::level, .address = second + 4}) == Status::invalid_value);
  CHECK(create_texture(f, {.kind = Kind::level, .address = 1}) == Status::invalid_value);
  std::uint64_t surface = 0;
  CHECK(f.context->create_surface(second, surface) == Status::success);
  CHECK(f.context->destroy_texture(surface) == Status::invalid_value); // it is none
  CHECK(f.context->destroy_surface(surface) == Status::success);
  CHECK(f.context->destroy_surface(surface) == Status::invalid_value);
  device::Address const read_only = create(f, {.width = 8, .height = 4, .texel = f32});
  CHECK(f.context->create_surface(read_only, surface) == Status::invalid_value);
  REQUIRE(f.context->destroy_array(base) == Status::success);
  CHECK(create_texture(f, {.kind = Kind::level, .address = base}) == Status::invalid_value);
  CHECK(f.context->create_surface(base, surface) == Status::invalid_value);
}

TEST_CASE("textures of memory are made of allocations") {
  Fixture f;
  using Kind = TextureSource::Kind;
  device::Address const memory = f.allocate(4096);
  auto const linear = [&](device::Address address, std::uint64_t bytes) {
    return create_texture(f, {.kind = Kind::linear, .address = address, .bytes = bytes, .texel = f32});
  };
  CHECK(linear(memory, 4096) == Status::success);
  CHECK(linear(memory + 4, 4096) == Status::invalid_value);
  CHECK(linear(0, 4) == Status::invalid_value);
  auto const rows = [&](std::uint64_t width, std::uint64_t height) {
    return create_texture(f, {.kind = Kind::pitched,
                              .address = memory,
                              .pitch = 512,
                              .width = width,
                              .height = height,
                              .texel = f32});
  };
  CHECK(rows(128, 8) == Status::success);
  CHECK(rows(128, 9) == Status::invalid_value);
}

TEST_CASE("what is made of an array describes its level") {
  DeviceMemory memory(1 << 20, {}, {});
  Arrays arrays(memory);
  ArrayShape const shape{
      .width = 8, .height = 8, .depth = 12, .texel = f32, .layered = true, .cubemap = true, .levels = 2};
  Address base = 0;
  REQUIRE(arrays.create(shape, base) == Status::success);
  std::uint64_t texture = 0;
  REQUIRE(arrays.create_texture({.kind = TextureSource::Kind::mipmap, .address = base}, {}, texture) ==
          Status::success);
  TexelStore const& store = arrays.textures().find(texture)->store;
  CHECK((store.dimensions == 2 && store.layered && store.cubemap && !store.linear));
  REQUIRE(store.levels.size() == 2);
  TexelPlane const& plane = store.levels[1];
  CHECK((plane.width == 4 && plane.height == 4 && plane.slices == 12));
  CHECK((plane.row_bytes == 16 && plane.slice_bytes == 64));
  CHECK(plane.base == base + std::uint64_t{8 * 8 * 4} * 12);
}
