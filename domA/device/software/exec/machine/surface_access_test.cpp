// SPDX-License-Identifier: Apache-2.0
// suld, sust and suq of PTX text.
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_textures.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <string>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using pegasus::device::TexelFormat;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

// %s is the surface; what is loaded goes to [%q], as 32 bytes.
std::string kernel(std::string const& body) {
  return R"(.visible .entry k(.param .u64 s, .param .u64 q) {
  .reg .b64 %s, %q, %l<4>; .reg .b32 %r<4>, %n; .reg .f32 %f<4>; .reg .b16 %h<4>; .reg .pred %c;
  ld.param.u64 %s, [s]; ld.param.u64 %q, [q]; mov.u32 %n, %tid.x;
)" + body +
         " ret; }";
}

// Texels of 4 channels of 8 bits; the bytes of a surface are numbered from 1 on, row by row, slice by slice.
struct Bench {
  explicit Bench(std::string const& body, Extent extent = {4, 3, 2},
                 pegasus::device::Texel texel = {TexelFormat::u8, 4})
      : fixture(kernel(body)) {
    std::vector<u8> bytes(extent.width * extent.height * extent.slices * texel.bytes());
    std::iota(bytes.begin(), bytes.end(), u8{1});
    store = make_store(fixture.memory, texel, 3, extent, bytes);
    surface = fixture.textures.add_surface(store);
    out = fixture.put(std::vector<u64>(4));
  }
  Outcome launch() { return fixture.launch("k", {1, 1, 1}, {1, 1, 1}, {surface, out}); }
  void run() {
    Outcome const outcome = launch();
    INFO(outcome.diagnostic);
    REQUIRE(outcome.status == Status::success);
  }
  template <class T> std::vector<T> result(std::size_t n) { return fixture.get<T>(out, n); }
  // The bytes of a row.
  std::vector<u8> row(u64 y, u64 slice) {
    TexelPlane const& p = store.levels[0];
    return fixture.get<u8>(p.base + slice * p.slice_bytes + y * p.row_bytes, p.width * store.texel.bytes());
  }

  Fixture fixture;
  TexelStore store;
  u64 surface = 0;
  Address out = 0;
};

template <class T> std::vector<T> loaded(std::string const& body, std::size_t n) {
  INFO(body);
  Bench bench(body);
  bench.run();
  return bench.result<T>(n);
}

std::vector<u8> counting(u8 first, u8 n) {
  std::vector<u8> bytes(n);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

} // namespace

TEST_CASE("loads of every shape and width") {
  std::string const word = "{%r0}; st.global.u32 [%q], %r0;";
  auto const text = [&](std::string const& form, std::string const& place) {
    return "suld.b." + form + ".trap {%r0}, [%s, " + place + "]; st.global.u32 [%q], %r0;";
  };
  CHECK(loaded<u8>(text("1d.b32", "{4}"), 4) == counting(5, 4));
  CHECK(loaded<u8>(text("1d.b32", "4"), 4) == counting(5, 4));
  CHECK(loaded<u8>(text("2d.cg.b32", "{12, 2}"), 4) == counting(45, 4));
  CHECK(loaded<u8>(text("3d.b32", "{8, 1, 1, 0}"), 4) == counting(48 + 16 + 9, 4));
  CHECK(loaded<u8>(text("a1d.b32", "{1, 8}"), 4) == counting(48 + 9, 4));
  CHECK(loaded<u8>(text("a2d.b32", "{1, 8, 1, 1}"), 4) == counting(48 + 16 + 9, 4));
  CHECK(loaded<u32>(text("2d.b8", "{3, 1}"), 1) == std::vector<u32>{20});
  CHECK(loaded<u32>(text("2d.b16", "{2, 1}"), 1) == std::vector<u32>{0x1413});
  CHECK(loaded<u8>("suld.b.2d.b32.trap %f0, [%s, {0, 1}]; st.global.f32 [%q], %f0;", 4) == counting(17, 4));
  CHECK(loaded<u8>("suld.b.2d.v2.b8.trap {%h0, %h1}, [%s, {6, 1}]; st.global.v2.u16 [%q], {%h0, %h1};", 4) ==
        std::vector<u8>{23, 0, 24, 0});
  CHECK(
      loaded<u8>(
          "suld.b.2d.v4.b8.trap {%h0, %h1, _, %h2}, [%s, {4, 1}]; st.global.v4.u16 [%q], {%h0, %h1, %h2, 0};",
          8) == std::vector<u8>{21, 0, 22, 0, 24, 0, 0, 0});
  CHECK(loaded<u8>("suld.b.2d.v4.b16.trap {%h0, %h1, %h2, %h3}, [%s, {8, 0}]; st.global.v4.u16 [%q], {%h0, "
                   "%h1, %h2, %h3};",
                   8) == counting(9, 8));
  CHECK(loaded<u8>("suld.b.2d.v4.b32.trap {%r0, %r1, %r2, %r3}, [%s, {0, 2}]; st.global.v4.u32 [%q], {%r0, "
                   "%r1, %r2, %r3};",
                   16) == counting(33, 16));
  CHECK(loaded<u8>("suld.b.2d.b64.trap {%l0}, [%s, {8, 2}]; st.global.u64 [%q], %l0;", 8) == counting(41, 8));
  CHECK(loaded<u8>("suld.b.2d.v2.b64.trap {%l0, %l1}, [%s, {0, 2}]; st.global.v2.u64 [%q], {%l0, %l1};",
                   16) == counting(33, 16));
}

TEST_CASE("what an access out of range does") {
  auto const text = [&](std::string const& beyond, std::string const& place,
                        std::string const& form = "3d.b32") {
    return "mov.u32 %r0, 77; suld.b." + form + "." + beyond + " {%r0}, [%s, {" + place +
           "}]; st.global.u32 [%q], %r0;";
  };
  for (char const* const place :
       {"16, 0, 0, 0", "-4, 0, 0, 0", "0, 3, 0, 0", "0, -1, 0, 0", "0, 0, 2, 0", "0, 0, -1, 0",
        "0x7ffffffc, 0x7fffffff, 0x7fffffff, 0", "0x80000000, 0x80000000, 0x80000000, 0"}) {
    CAPTURE(place);
    CHECK(loaded<u32>(text("zero", place), 1) == std::vector<u32>{0});
    Outcome const outcome = Bench(text("trap", place)).launch();
    CHECK(outcome.status == Status::illegal_address);
    CHECK(outcome.diagnostic.find("thread [0,0,0], PTX line") != std::string::npos);
    CHECK(outcome.diagnostic.find("illegal load of 4 bytes at byte") != std::string::npos);
    CHECK(outcome.diagnostic.find("16 bytes in each of 3 rows of 2 slices") != std::string::npos);
  }
  CHECK(loaded<u8>(text("clamp", "-4, 1, 0, 0"), 4) == counting(17, 4));
  CHECK(loaded<u8>(text("clamp", "100, 1, 0, 0"), 4) == counting(29, 4));
  CHECK(loaded<u8>(text("clamp", "4, -7, 1, 0"), 4) == counting(53, 4));
  CHECK(loaded<u8>(text("clamp", "4, 1, 9, 0"), 4) == counting(69, 4));
  CHECK(loaded<u8>(text("clamp", "0xffffffff, 4, 1, 0", "a2d.b32"), 4) == counting(69, 4));
  CHECK(loaded<u32>(text("zero", "0xffffffff, 4, 1, 0", "a2d.b32"), 1) == std::vector<u32>{0});
  CHECK(Bench(text("trap", "2, 0, 0, 0")).launch().status == Status::misaligned_address);
}

TEST_CASE("stores of every shape and width") {
  Bench bench(R"(
    mov.u32 %r0, 0xa3a2a1a0; mov.u32 %r1, 0xa7a6a5a4; mov.b16 %h0, 0xb1b0; mov.b16 %h1, 0xb3b2;
    mov.u64 %l0, 0xc7c6c5c4c3c2c1c0;
    sust.b.3d.b32.trap [%s, {4, 0, 0, 0}], {%r0};
    sust.b.2d.v2.b32.trap [%s, {8, 1}], {%r0, %r1};
    sust.b.2d.wb.b8.trap [%s, {1, 2}], {%h0};
    sust.b.2d.b8.trap [%s, {3, 2}], %r0;
    sust.b.2d.v2.b16.trap [%s, {4, 2}], {%h0, %h1};
    sust.b.2d.v2.b8.trap [%s, {8, 2}], {%h0, 7};
    sust.b.a1d.b64.trap [%s, {1, 0}], {%l0};
    sust.b.a2d.b32.clamp [%s, {9, 100, 1, 0}], {%r1};
    sust.b.a2d.b32.zero [%s, {9, 0, 1, 0}], {%r1};
    sust.b.1d.v4.b32.zero [%s, {16}], {%r0, %r0, %r0, %r0};)");
  bench.run();
  CHECK(bench.row(0, 0) ==
        std::vector<u8>{1, 2, 3, 4, 0xa0, 0xa1, 0xa2, 0xa3, 9, 10, 11, 12, 13, 14, 15, 16});
  CHECK(bench.row(1, 0) ==
        std::vector<u8>{17, 18, 19, 20, 21, 22, 23, 24, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7});
  CHECK(bench.row(2, 0) ==
        std::vector<u8>{33, 0xb0, 35, 0xa0, 0xb0, 0xb1, 0xb2, 0xb3, 0xb0, 7, 43, 44, 45, 46, 47, 48});
  CHECK(bench.row(0, 1) ==
        std::vector<u8>{0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 57, 58, 59, 60, 61, 62, 63, 64});
  CHECK(bench.row(1, 1) ==
        std::vector<u8>{65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 0xa4, 0xa5, 0xa6, 0xa7});
  CHECK(bench.row(2, 1) == counting(81, 16));
}

TEST_CASE("formatted stores convert texels") {
  Bench bench(
      "sust.p.2d.v4.b32.trap [%s, {1, 1}], {300, -1, 3, 4}; sust.p.2d.v2.b32.zero [%s, {4, 1}], {1, 2};"
      "sust.p.2d.b32.clamp [%s, {9, 9}], {9};");
  bench.run();
  CHECK(bench.row(1, 0) == std::vector<u8>{17, 18, 19, 20, 255, 255, 3, 4, 25, 26, 27, 28, 29, 30, 31, 32});
  CHECK(bench.row(2, 0) == std::vector<u8>{33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 9, 0, 0, 0});
  Bench halves("mov.f32 %f0, 0f3FC00000; sust.p.2d.b32.trap [%s, {1, 0}], {%f0};", {4, 3, 2},
               {TexelFormat::f16, 1});
  halves.run();
  CHECK(halves.row(0, 0) == std::vector<u8>{1, 2, 0x00, 0x3e, 5, 6, 7, 8});
}

TEST_CASE("lanes that are off access nothing") {
  Bench bench(
      R"(setp.eq.u32 %c, %n, 1; @%c sust.b.1d.b32.trap [%s, {400}], {%n}; @!%c sust.b.1d.b32.trap [%s, {0}], {8};
    mov.u32 %r0, 3; @%c suld.b.1d.b32.trap {%r0}, [%s, {400}]; st.global.u32 [%q], %r0;)");
  bench.run();
  CHECK(bench.row(0, 0)[0] == 8);
  CHECK(bench.result<u32>(1)[0] == 3);
}

TEST_CASE("a surface is told of") {
  auto const told = [](std::string const& query) {
    return loaded<u32>("suq." + query + ".b32 %r0, [%s]; st.global.u32 [%q], %r0;", 1)[0];
  };
  CHECK(told("width") == 4);
  CHECK(told("height") == 3);
  CHECK(told("depth") == 2);
  CHECK(told("array_size") == 1);
  CHECK(told("memory_layout") == 0);
  CHECK(told("channel_data_type") == 0x10da);
  CHECK(told("channel_order") == 0x10b5);
}

TEST_CASE("surface forms that are not supported are named") {
  auto const names = [](std::string const& body, std::string const& what) {
    std::string const message = Fixture::build_error({".global .surfref view;" + kernel(body)}, "k");
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
  };
  names("suld.b.1d.b32.trap {%r0}, [view, {0}];", "'view'");
  names("suld.p.1d.b32.trap {%r0}, [%s, {0}];", "suld.p");
  names("suld.b.cube.b32.trap {%r0}, [%s, {0, 0, 0, 0}];", "suld.b.cube");
  names("suld.b.1d.b32 {%r0}, [%s, {0}];", "suld.b.1d.b32");
  names("suld.b.1d.v4.b64.trap {%l0, %l1, %l2, %l3}, [%s, {0}];", "suld.b.1d.v4.b64");
  names("suld.b.1d.v2.b32.trap {%r0}, [%s, {0}];", "number of values");
  names("suld.b.1d.b32.trap {%h0}, [%s, {0}];", "narrower");
  names("suld.b.1d.v2.b32.trap {%r0, %l0}, [%s, {0}];", "32 bits");
  names("suld.b.2d.b32.trap {%r0}, [%s, {0}];", "vector of 2");
  names("suld.b.1d.b32.trap {%r0}, [%r0, {0}];", "64 bits");
  names("sust.p.1d.b16.trap [%s, {0}], {%h0};", "sust.p.1d.b16");
  names("sured.b.add.1d.u32.trap [%s, {0}], %r0;", "sured");
  names("suq.filter_mode.b32 %r0, [%s];", "suq.filter_mode");
}
