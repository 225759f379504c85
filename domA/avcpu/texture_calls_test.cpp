// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/texture_calls.h"

#include "domA/avcpu/call_handler.h"
#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <vector>

using namespace pegasus;
using device::Status;

namespace {

struct Recorder final : testing::NullContext {
  struct Seen {
    std::optional<device::ArrayShape> shape;
    std::optional<device::TextureSource> source;
    device::Sampling sampling;
    std::vector<std::uint64_t> ended;
    std::uint64_t surface = 0;
  };
  explicit Recorder(Seen& seen) : seen_(seen) {}
  Status create_array(device::ArrayShape const& shape, device::Address& base) override {
    seen_.shape = shape;
    base = 0x7000;
    return Status::success;
  }
  Status destroy_array(device::Address base) override { return end(base); }
  Status create_texture(device::TextureSource const& source, device::Sampling const& sampling,
                        std::uint64_t& texture) override {
    seen_.source = source;
    seen_.sampling = sampling;
    texture = 21;
    return Status::success;
  }
  Status destroy_texture(std::uint64_t texture) override { return end(texture); }
  Status create_surface(device::Address level, std::uint64_t& surface) override {
    seen_.surface = level;
    surface = 22;
    return Status::success;
  }
  Status destroy_surface(std::uint64_t surface) override { return end(surface); }

private:
  Status end(std::uint64_t what) {
    seen_.ended.push_back(what);
    return Status::success;
  }
  Seen& seen_;
};

struct Guest {
  Recorder::Seen seen;
  avcpu::CallHandler handler{[](void* record) -> std::unique_ptr<device::Context> {
                               return std::make_unique<Recorder>(*static_cast<Recorder::Seen*>(record));
                             },
                             &seen};
  std::uint64_t reply = 0; // its first field

  template <class Request> Status call(std::uint16_t number, Request const& body) {
    pegasus_request request{};
    request.call = number;
    std::memcpy(request.body, &body, sizeof body);
    avcpu::CallResult const result = handler.execute(request, {}, testing::EndlessSlice());
    std::memcpy(&reply, result.body, sizeof reply);
    return result.status;
  }
  Status create(pegasus_array_shape const& shape) {
    return call(PEGASUS_CALL_ARRAY_CREATE, pegasus_array_create_request{shape});
  }
  Status create(pegasus_texture_create_request const& texture) {
    return call(PEGASUS_CALL_TEXTURE_CREATE, texture);
  }
};

constexpr std::uint8_t u16 = 0x02, f32 = 0x20;

pegasus_array_shape shape_of(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                             std::uint32_t flags = 0, std::uint32_t levels = 1) {
  return {width, height, depth, flags, levels, u16, 2, 0};
}

pegasus_texture_create_request texture_of(pegasus_texture_source source) {
  pegasus_texture_create_request texture{};
  texture.address = 0x9000;
  texture.bytes = 64;
  texture.pitch = 512;
  texture.width = 100;
  texture.height = 50;
  texture.source = static_cast<std::uint8_t>(source);
  texture.format = f32;
  texture.channels = 1;
  return texture;
}

} // namespace

TEST_CASE("an array's shape reaches the device, its address the guest") {
  Guest guest;
  REQUIRE(guest.create(shape_of(64, 32, 8, 0, 7)) == Status::success);
  CHECK(guest.reply == 0x7000);
  REQUIRE(guest.seen.shape);
  device::ArrayShape const& shape = *guest.seen.shape;
  CHECK((shape.width == 64 && shape.height == 32 && shape.depth == 8 && shape.levels == 7));
  CHECK((shape.texel.format == device::TexelFormat::u16 && shape.texel.channels == 2));
  CHECK_FALSE((shape.layered || shape.cubemap || shape.surface || shape.gather));
  REQUIRE(guest.create(shape_of(64, 64, 12, 15)) == Status::success);
  CHECK((guest.seen.shape->layered && guest.seen.shape->cubemap && guest.seen.shape->surface &&
         guest.seen.shape->gather));
  CHECK(guest.call(PEGASUS_CALL_ARRAY_DESTROY, pegasus_array_destroy_request{0x7000}) == Status::success);
  CHECK(guest.seen.ended == std::vector<std::uint64_t>{0x7000});
}

TEST_CASE("shapes that CUDA does not have do not reach the device") {
  constexpr std::uint32_t layered = PEGASUS_ARRAY_LAYERED, cubemap = PEGASUS_ARRAY_CUBEMAP;
  constexpr std::uint32_t beyond = PEGASUS_ARRAY_EXTENT_MAX + 1;
  auto const refused = [](pegasus_array_shape const& shape) {
    Guest guest;
    return guest.create(shape) == Status::invalid_value && !guest.seen.shape;
  };
  CHECK(refused(shape_of(0, 0, 0)));
  CHECK(refused(shape_of(beyond, 0, 0)));
  CHECK(refused(shape_of(1, beyond, 0)));
  CHECK(refused(shape_of(1, 1, beyond)));
  CHECK(refused(shape_of(8, 0, 8)));          // no height, but depth
  CHECK(refused(shape_of(8, 8, 0, layered))); // no layer
  CHECK(refused(shape_of(8, 8, 5, cubemap))); // five faces
  CHECK(refused(shape_of(8, 4, 6, cubemap))); // not square
  CHECK(refused(shape_of(8, 8, 8, layered | cubemap)));
  CHECK(refused(shape_of(8, 8, 8, 16))); // no such flag
  CHECK(refused(shape_of(8, 8, 0, 0, 0)));
  CHECK(refused(shape_of(8, 8, 0, 0, 5))); // 8, 4, 2, 1
  CHECK(refused(shape_of(8, 8, 64, layered, 5)));
  pegasus_array_shape texel = shape_of(8, 8, 0);
  texel.channels = GENERATE(std::uint8_t{0}, std::uint8_t{3}, std::uint8_t{5});
  CHECK(refused(texel));
  texel = shape_of(8, 8, 0);
  texel.format = GENERATE(std::uint8_t{0}, std::uint8_t{4}, std::uint8_t{0x21}, std::uint8_t{0xff});
  CHECK(refused(texel));
}

TEST_CASE("a texture's source and sampling reach the device, its handle the guest") {
  Guest guest;
  pegasus_texture_create_request texture = texture_of(PEGASUS_TEXTURE_PITCHED);
  texture.address_mode[0] = 3;
  texture.address_mode[2] = 2;
  texture.filter = 1;
  texture.flags = 15;
  texture.max_anisotropy = 16;
  texture.mipmap_bias = 0.5F;
  texture.mipmap_most = 4;
  texture.border[3] = 0.25F;
  REQUIRE(guest.create(texture) == Status::success);
  CHECK(guest.reply == 21);
  device::TextureSource const& source = *guest.seen.source;
  CHECK(source.kind == device::TextureSource::Kind::pitched);
  CHECK((source.address == 0x9000 && source.pitch == 512 && source.width == 100 && source.height == 50));
  CHECK(source.texel.format == device::TexelFormat::f32);
  device::Sampling const& sampling = guest.seen.sampling;
  CHECK(sampling.address[0] == device::AddressMode::border);
  CHECK(sampling.address[2] == device::AddressMode::mirror);
  CHECK(sampling.filter == device::Filter::linear);
  CHECK(sampling.mipmap_filter == device::Filter::point);
  CHECK((sampling.reads_integers && sampling.normalized_coordinates && sampling.srgb &&
         sampling.seamless_cubemap));
  CHECK(sampling.max_anisotropy == 16);
  CHECK((sampling.mipmap_bias == 0.5F && sampling.mipmap_most == 4 && sampling.border[3] == 0.25F));
  CHECK(guest.call(PEGASUS_CALL_TEXTURE_DESTROY, pegasus_texture_destroy_request{21}) == Status::success);
  CHECK(guest.seen.ended == std::vector<std::uint64_t>{21});
}

TEST_CASE("textures that CUDA does not have do not reach the device") {
  Guest guest;
  pegasus_texture_create_request texture = texture_of(PEGASUS_TEXTURE_PITCHED);
  SECTION("no such source") { texture.source = GENERATE(std::uint8_t{0}, std::uint8_t{5}); }
  SECTION("no such mode") { texture.address_mode[1] = 4; }
  SECTION("no such filter") { texture.filter = 2; }
  SECTION("no such filter between levels") { texture.mipmap_filter = 2; }
  SECTION("no such flag") { texture.flags = 16; }
  SECTION("no texels") { texture.width = 0; }
  SECTION("no rows") { texture.height = 0; }
  SECTION("rows overlap") { texture.pitch = 399; }
  SECTION("too wide") {
    texture.pitch = 1 << 21;
    texture.width = PEGASUS_ARRAY_EXTENT_MAX + 1;
  }
  SECTION("too many rows") { texture.height = PEGASUS_ARRAY_EXTENT_MAX + 1; }
  SECTION("too far apart") { texture.pitch = std::uint64_t{1} << 32; }
  SECTION("less than a texel") {
    texture = texture_of(PEGASUS_TEXTURE_LINEAR);
    texture.bytes = 3;
  }
  SECTION("no such format") { texture.format = 0x40; }
  CHECK(guest.create(texture) == Status::invalid_value);
  CHECK_FALSE(guest.seen.source);
}

TEST_CASE("a surface is made of a level") {
  Guest guest;
  REQUIRE(guest.call(PEGASUS_CALL_SURFACE_CREATE, pegasus_surface_create_request{0x7200}) == Status::success);
  CHECK((guest.reply == 22 && guest.seen.surface == 0x7200));
  CHECK(guest.call(PEGASUS_CALL_SURFACE_DESTROY, pegasus_surface_destroy_request{22}) == Status::success);
  CHECK(guest.seen.ended == std::vector<std::uint64_t>{22});
}
