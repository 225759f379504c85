// SPDX-License-Identifier: Apache-2.0
// tex, tld4 and txq of PTX text. What a fetch does is the sampler's test (texture/sampler_test.cpp): these are about
// operands.
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_textures.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::AddressMode;
using pegasus::device::Filter;
using pegasus::device::TexelFormat;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

// Thread i has 8 words of the input in %f0 to %f7 and %i0 to %i7, and leaves its result in %r0 to %r3.
std::string kernel(std::string const& body) {
  return R"(.visible .entry k(.param .u64 t, .param .u64 p, .param .u64 q) {
  .reg .b64 %t, %p, %q, %o; .reg .b32 %r<8>, %n, %i<8>; .reg .f32 %f<8>; .reg .b16 %h<4>; .reg .pred %c, %d;
  ld.param.u64 %t, [t]; ld.param.u64 %p, [p]; ld.param.u64 %q, [q];
  mov.u32 %n, %tid.x; mul.wide.u32 %o, %n, 32; add.s64 %p, %p, %o;
  mul.wide.u32 %o, %n, 16; add.s64 %q, %q, %o;
  ld.global.v4.b32 {%i0, %i1, %i2, %i3}, [%p]; ld.global.v4.b32 {%i4, %i5, %i6, %i7}, [%p+16];
  mov.b32 %f0, %i0; mov.b32 %f1, %i1; mov.b32 %f2, %i2; mov.b32 %f3, %i3;
  mov.b32 %f4, %i4; mov.b32 %f5, %i5; mov.b32 %f6, %i6; mov.b32 %f7, %i7;
  mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
)" + body +
         " st.global.v4.b32 [%q], {%r0, %r1, %r2, %r3}; ret; }";
}

using Input = std::array<u32, 8>;
using Result = std::array<u32, 4>;

u32 f(float v) { return std::bit_cast<u32>(v); }

// One thread for each input.
std::vector<Result> run(Fixture& fixture, u64 texture, std::vector<Input> const& inputs) {
  Address const in = fixture.put(inputs), out = fixture.put(std::vector<Result>(inputs.size()));
  fixture.run("k", {1, 1, 1}, {static_cast<u32>(inputs.size()), 1, 1}, {texture, in, out});
  return fixture.get<Result>(out, inputs.size());
}

Result run_one(std::string const& body, Texture (*make)(Memory&), Input const& input) {
  INFO(body);
  Fixture fixture(kernel(body));
  return run(fixture, fixture.textures.add(make(fixture.memory)), {input})[0];
}

// Levels of 8, 4 and 2 texels in each dimension, three slices, linear filters.
Texture levels(Memory& memory) {
  Texture t;
  t.store = numbered(memory, 3, {8, 8, 3});
  t.store.levels.push_back(make_numbered(memory, {4, 4, 3}, 1));
  t.store.levels.push_back(make_numbered(memory, {2, 2, 3}, 2));
  t.sampling.filter = t.sampling.mipmap_filter = Filter::linear;
  t.sampling.normalized_coordinates = true;
  t.sampling.mipmap_most = 2;
  return t;
}

Texture layers(Memory& memory) {
  Texture t = levels(memory);
  t.store.dimensions = 2;
  t.store.layered = true;
  return t;
}

Texture cubes(Memory& memory) {
  Texture t;
  t.store = numbered(memory, 2, {4, 4, 12});
  t.store.levels.push_back(make_numbered(memory, {2, 2, 12}, 1));
  t.store.cubemap = t.store.layered = true;
  t.sampling.normalized_coordinates = true;
  t.sampling.mipmap_most = 1;
  return t;
}

Result value(float v) { return {f(v), 0, 0, f(1)}; }

Input input(float a, float b = 0, float c = 0, float d = 0, float e = 0, float g = 0, float h = 0,
            float j = 0) {
  return {f(a), f(b), f(c), f(d), f(e), f(g), f(h), f(j)};
}

} // namespace

TEST_CASE("fetches of every shape") {
  // In texels of level 0: x = 2, y = 3, z = 1 are 0.25, 0.375 and 1 / 3, from centres less a half.
  Input const at = input(2.5f / 8, 3.5f / 8, 0.5f);
  CHECK(run_one("tex.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%f0}];", levels, at) == value(2));
  CHECK(run_one("tex.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, %f0];", levels, at) == value(2));
  CHECK(run_one("tex.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%f0, %f1}];", levels, at) == value(32));
  CHECK(run_one("tex.base.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%f0, %f1}];", levels, at) == value(32));
  CHECK(run_one("tex.3d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%f0, %f1, %f2, %f2}];", levels, at) ==
        value(132));
  CHECK(run_one("mov.u32 %n, 2; tex.a1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%n, %f0}];", layers, at) ==
        value(202));
  CHECK(run_one("mov.u32 %n, 2; tex.a2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%n, %f0, %f1, %f1}];", layers,
                at) == value(232));
  Input const direction = input(4, 1, 2); // +x, s = (1 - 0.5) / 2, t = (1 - 0.25) / 2
  CHECK(run_one("tex.cube.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {%f0, %f1, %f2, %f2}];", cubes, direction) ==
        value(1 + 10));
  CHECK(run_one("tex.acube.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%t, {1, %f0, %f1, %f2}];", cubes, direction) ==
        value(1 + 10 + 600));
}

TEST_CASE("fetches with integers") {
  Input const at{3, 2, 1, 0xffffffff, 2, 0, 0, 0};
  CHECK(run_one("tex.1d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i0}];", levels, at) == value(3));
  CHECK(run_one("tex.1d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i3}];", levels, at) == Result{});
  CHECK(run_one("tex.2d.v4.s32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i0, %i1}];", levels, at) == value(23));
  CHECK(run_one("tex.3d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i0, %i1, %i2, %i2}];", levels, at) ==
        value(123));
  CHECK(run_one("tex.a1d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i2, %i0}];", layers, at) == value(103));
  CHECK(run_one("tex.a2d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i3, %i0, %i1, %i1}];", layers, at) ==
        value(223));
  CHECK(run_one("tex.level.2d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%t, {1, 0}], %i4;", levels, at) == value(2001));
  CHECK(run_one("tex.level.2d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%t, {%i0, %i1}], 0, {-1, 5};", levels, at) ==
        value(72));
}

TEST_CASE("levels, derivatives and offsets") {
  Input const at = input(0.5f, 0.5f, 0.5f, 1.25f, 1.0f / 8, 4.0f / 8);
  // Centres of 8, 4 and 2 texels: 3.5, 1.5 and 0.5 along x and y.
  float const first = 3.5f * 11, second = 1000 + 1.5f * 11, third = 2000 + 0.5f * 11;
  std::string const d = "{%r0,%r1,%r2,%r3}";
  CHECK(run_one("tex.level.2d.v4.f32.f32 " + d + ", [%t, {%f0, %f1}], %f3;", levels, at) ==
        value(0.75f * second + 0.25f * third));
  CHECK(run_one("tex.level.1d.v4.f32.f32 " + d + ", [%t, {%f0}], 0f3F800000;", levels, at) == value(1001.5f));
  CHECK(run_one("tex.level.3d.v4.f32.f32 " + d + ", [%t, {%f0, %f1, %f2, %f2}], 0f3F800000;", levels, at) ==
        value(second + 100));
  CHECK(run_one("tex.level.a2d.v4.f32.f32 " + d + ", [%t, {7, %f0, %f1, %f1}], 0f3F800000;", layers, at) ==
        value(second + 200));
  CHECK(run_one("tex.level.2d.v4.f32.f32 " + d + ", [%t, {%f0, %f1}], 0f00000000, {-2, 1};", levels, at) ==
        value(first - 2 + 10));
  CHECK(run_one("tex.2d.v4.f32.f32 " + d + ", [%t, {%f0, %f1}], {-2, 1};", levels, at) ==
        value(first - 2 + 10));
  CHECK(run_one("tex.grad.2d.v4.f32.f32 " + d + ", [%t, {%f0, %f1}], {%f4, %f4}, {%f5, 0f00000000};", levels,
                at) == value(third));
  CHECK(run_one("tex.grad.1d.v4.f32.f32 " + d + ", [%t, {%f0}], {%f5}, {%f4};", levels, at) ==
        value(2000.5f));
  CHECK(run_one("tex.grad.a2d.v4.f32.f32 " + d +
                    ", [%t, {1, %f0, %f1, %f1}], {%f4, 0f00000000}, {0f00000000, %f4};",
                layers, at) == value(first + 100));
  CHECK(run_one("tex.grad.3d.v4.f32.f32 " + d +
                    ", [%t, {%f0, %f1, %f2, %f2}], {0f00000000, %f5, 0f00000000, %f0}, {%f4, %f4, "
                    "0f00000000, %f0};",
                levels, at) == value(third + 100));
  // Of a face of 4 texels, a step of 1 / m along y goes 4 / 2 texels, and that is level 1.
  Input const direction = input(4, 1, 2, 0, 4);
  CHECK(run_one("tex.grad.cube.v4.f32.f32 " + d +
                    ", [%t, {%f0, %f1, %f2, %f2}], {%f3, %f4, %f3, %f3}, {%f3, %f3, %f3, %f3};",
                cubes, direction) == value(1000));
  CHECK(run_one("tex.level.acube.v4.f32.f32 " + d + ", [%t, {1, %f0, %f1, %f2}], 0f3F800000;", cubes,
                direction) == value(1600));
}

TEST_CASE("gathers, halves and residence") {
  Input const at = input(0.5f, 0.5f);
  std::string const d = "{%r0,%r1,%r2,%r3}";
  Result const four{f(43), f(44), f(34), f(33)};
  CHECK(run_one("tld4.r.2d.v4.f32.f32 " + d + ", [%t, {%f0, %f1}];", levels, at) == four);
  CHECK(run_one("tld4.g.2d.v4.u32.f32 " + d + ", [%t, {%f0, %f1}];", levels, at) == Result{});
  CHECK(run_one("tld4.a.2d.v4.s32.f32 " + d + ", [%t, {%f0, %f1}];", levels, at) ==
        Result{f(1), f(1), f(1), f(1)});
  CHECK(run_one("tld4.r.a2d.v4.f32.f32 " + d + ", [%t, {1, %f0, %f1, %f1}], {-3, -3};", layers, at) ==
        Result{f(110), f(111), f(101), f(100)});
  CHECK(run_one("tex.2d.v2.f16x2.f32 {%r0, %r1}, [%t, {%f0, %f1}];", levels, at) ==
        Result{0x50d0, 0x3c000000, 0, 0});
  CHECK(run_one("tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%t, {%f0, %f1}]; cvt.u32.u16 %r0, %h0; cvt.u32.u16 "
                "%r1, %h3;",
                levels, at) == Result{0x50d0, 0x3c00, 0, 0});
  CHECK(run_one("tex.2d.v4.f32.f32 {%r1, _, _, _}|%c, [%t, {%f0, %f1}]; selp.u32 %r0, 1, 0, %c;", levels,
                at) == Result{1, f(38.5f), 0, 0});
}

TEST_CASE("each lane has coordinates and a texture of its own") {
  Fixture fixture(kernel(R"(
    and.b32 %r4, %n, 1; setp.eq.u32 %c, %r4, 0; add.s64 %o, %t, 1; selp.b64 %t, %t, %o, %c;
    setp.lt.u32 %d, %n, 40; mov.u32 %r0, 77;
    @%d tex.1d.v4.f32.s32 {%i1, %r1, %r2, %r3}, [%t, {%i0}];
    @!%d bra DONE;
    mov.u32 %r0, %i1;
    DONE:)"));
  u64 const first = fixture.textures.add({numbered(fixture.memory, 1, {64, 1, 1}), {}});
  TexelStore const second =
      make_store(fixture.memory, {TexelFormat::u32, 1}, 1, {64, 1, 1}, std::vector<u32>(64, 5));
  REQUIRE(fixture.textures.add({second, {}}) == first + 1);
  std::vector<Input> inputs(64);
  for (u32 i = 0; i < 64; ++i)
    inputs[i] = {i < 40 ? i : 1u << 30, 9};
  auto const results = run(fixture, first, inputs);
  for (u32 i = 0; i < 64; ++i) {
    CAPTURE(i);
    if (i >= 40)
      REQUIRE(results[i] == Result{77, 0, 0, 0});
    else
      REQUIRE(results[i] == (i % 2 == 0 ? value(static_cast<float>(i)) : Result{5, 0, 0, 1}));
  }
}

TEST_CASE("a texture is told of") {
  auto const told = [](std::string const& query, Texture (*make)(Memory&)) {
    return run_one("txq." + query + ";", make, {})[0];
  };
  CHECK(told("width.b32 %r0, [%t]", levels) == 8);
  CHECK(told("height.b32 %r0, [%t]", levels) == 8);
  CHECK(told("depth.b32 %r0, [%t]", levels) == 3);
  CHECK(told("depth.b32 %r0, [%t]", layers) == 1);
  CHECK(told("level.width.b32 %r0, [%t], 2", levels) == 2);
  CHECK(told("level.width.b32 %r0, [%t], 3", levels) == 0);
  CHECK(told("array_size.b32 %r0, [%t]", levels) == 1);
  CHECK(told("array_size.b32 %r0, [%t]", layers) == 3);
  CHECK(told("array_size.b32 %r0, [%t]", cubes) == 2);
  CHECK(told("num_mipmap_levels.b32 %r0, [%t]", levels) == 3);
  CHECK(told("num_samples.b32 %r0, [%t]", levels) == 1);
  CHECK(told("normalized_coords.b32 %r0, [%t]", levels) == 1);
  CHECK(told("force_unnormalized_coords.b32 %r0, [%t]", levels) == 0);
  CHECK(told("filter_mode.b32 %r0, [%t]", levels) == 1);
  CHECK(told("filter_mode.b32 %r0, [%t]", cubes) == 0);
  CHECK(told("channel_data_type.b32 %r0, [%t]", levels) == 0x10de);
  CHECK(told("channel_order.b32 %r0, [%t]", levels) == 0x10b0);
  auto const bytes = [](Memory& memory) {
    Texture t{make_store(memory, {TexelFormat::u8, 4}, 1, {1, 1, 1}, std::vector<u32>{1}), {}};
    t.sampling.address = {AddressMode::wrap, AddressMode::clamp, AddressMode::border};
    return t;
  };
  CHECK(told("channel_data_type.b32 %r0, [%t]", bytes) == 0x10d2);
  CHECK(told("channel_order.b32 %r0, [%t]", bytes) == 0x10b5);
  CHECK(told("addr_mode_0.b32 %r0, [%t]", bytes) == 0);
  CHECK(told("addr_mode_1.b32 %r0, [%t]", bytes) == 3);
  CHECK(told("addr_mode_2.b32 %r0, [%t]", bytes) == 4);
}

TEST_CASE("forms that are not supported are named") {
  auto const error = [](std::string const& body, std::string const& before = {}) {
    return Fixture::build_error({before + kernel(body)}, "k");
  };
  auto const names = [](std::string const& message, std::string const& what) {
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
  };
  std::string const d = "{%r0,%r1,%r2,%r3}";
  names(error("tex.2d.v4.f32.f32 " + d + ", [picture, {%f0, %f1}];", ".global .texref picture;"),
        "'picture'");
  names(error("tex.2d.v4.f32.f32 " + d + ", [%t, %p, {%f0, %f1}];"), "a sampler apart from the texture");
  names(error("tex.2d.v4.f32.f32 " + d + ", [%t, {%f0, %f1}], %f2;"), "depths");
  names(error("tex.2dms.v4.f32.s32 " + d + ", [%t, {%i0, %i1, %i2, %i3}];"), "tex.2dms");
  names(error("tex.cube.v4.f32.s32 " + d + ", [%t, {%i0, %i1, %i2, %i3}];"), "tex.cube");
  names(error("tex.cube.v4.f32.f32 " + d + ", [%t, {%f0, %f1, %f2, %f3}], {1, 1};"), "offsets");
  names(error("tex.2d.v4.f32.f32 " + d + ", [%t, {%f0}];"), "vector of 2");
  names(error("tex.a2d.v4.f32.f32 " + d + ", [%t, {%i0, %f1}];"), "the layer");
  names(error("tex.2d.v4.f32.f32 {%r0, %r1}, [%t, {%f0, %f1}];"), "as many registers");
  names(error("tex.2d.v4.f32.f32 " + d + ", [%i0, {%f0, %f1}];"), "64 bits");
  names(error("tex.2d.v4.f32.f32 " + d + ", [%t];"), "without coordinates");
  names(error("tex.2d.v4.f32.f32 " + d + ";"), "operands");
  names(error("tld4.r.3d.v4.f32.f32 " + d + ", [%t, {%f0, %f1, %f2, %f3}];"), "tld4.r.3d");
  names(error("txq.memory_layout.b32 %r0, [%t];"), "txq.memory_layout");
  names(error("txq.width.b32 %r0, %t;"), "not a texture");
}
