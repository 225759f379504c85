// SPDX-License-Identifier: Apache-2.0
// Handles, coordinates and memory that a program made up.
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_textures.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

char const* const accesses[] = {
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f4, %f4}];",
    "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%t, {%n}];",
    "tex.level.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f4, %f4, %f4, %f4}], %f4;",
    ("tex.grad.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {-1, %f4, %f4, %f4}], "
     "{%f4, %f4, %f4, %f4}, {%f4, %f4, %f4, %f4};"),
    "tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f4, %f4}];",
    "suld.b.2d.b32.zero {%n}, [%t, {0, 0}];",
    "sust.b.2d.b32.clamp [%t, {%n, 0}], {%n};",
    "sust.p.2d.b32.clamp [%t, {%n, %n}], {%n};",
};

bool of_surface(std::string_view access) { return access.starts_with("su"); }

std::string kernel(std::string const& access) {
  return ".visible .entry k(.param .u64 t, .param .f32 x) { .reg .b64 %t; .reg .b32 %n; .reg .f32 %f<5>;"
         " ld.param.u64 %t, [t]; ld.param.f32 %f4, [x]; mov.u32 %n, 0;\n" +
         access + " ret; }";
}

void check_fault(Outcome const& outcome, std::string const& what) {
  INFO(outcome.diagnostic);
  CHECK(outcome.status == Status::illegal_address);
  CHECK(outcome.diagnostic.find("kernel 'k', block [0,0,0], thread [0,0,0], PTX line ") == 0);
  CHECK(outcome.diagnostic.find(what) != std::string::npos);
}

Outcome launch(Fixture& fixture, u64 handle, float x = 0) {
  return fixture.launch("k", {1, 1, 1}, {1, 1, 1}, {handle, bits(x)});
}

} // namespace

TEST_CASE("a handle that names nothing, or what it should not, is a fault") {
  for (std::string const access : accesses) {
    INFO(access);
    Fixture fixture(kernel(access));
    u64 const texture = fixture.textures.add({numbered(fixture.memory, 2, {4, 4, 1}), {}});
    u64 const surface = fixture.textures.add_surface(numbered(fixture.memory, 2, {4, 4, 1}));
    u64 const empty = fixture.textures.add({}), blank = fixture.textures.add_surface({});
    for (u64 const handle : {u64{0}, u64{99}, ~u64{0}, of_surface(access) ? texture : surface,
                             of_surface(access) ? blank : empty})
      check_fault(launch(fixture, handle), of_surface(access) ? "there is no surface with the handle"
                                                              : "there is no texture with the handle");
    CHECK(launch(fixture, of_surface(access) ? surface : texture).status == Status::success);
  }
  for (std::string const query : {"txq.width.b32 %n, [%t];", "suq.width.b32 %n, [%t];"}) {
    Fixture fixture(kernel(query));
    check_fault(launch(fixture, 5), "with the handle 0x5");
    u64 const empty = query.starts_with("suq") ? fixture.textures.add_surface({}) : fixture.textures.add({});
    CHECK(launch(fixture, empty).status == Status::success);
  }
}

TEST_CASE("memory that was freed is not accessed") {
  for (std::string const access : accesses) {
    INFO(access);
    Fixture fixture(kernel(access));
    TexelStore const store = numbered(fixture.memory, 2, {4, 4, 6});
    u64 const handle =
        of_surface(access) ? fixture.textures.add_surface(store) : fixture.textures.add({store, {}});
    REQUIRE(fixture.memory.free(store.levels[0].base));
    check_fault(launch(fixture, handle), "where there is no memory");
  }
}

TEST_CASE("of memory that is there again only in part, that part is accessed") {
  for (std::string const access : {accesses[0], accesses[5], accesses[6]}) {
    INFO(access);
    Fixture fixture(kernel(access));
    TexelStore store = numbered(fixture.memory, 2, {4, 4, 1});
    store.levels[0].row_bytes = 1024;
    u64 const handle =
        of_surface(access) ? fixture.textures.add_surface(store) : fixture.textures.add({store, {}});
    REQUIRE(fixture.memory.free(store.levels[0].base));
    REQUIRE(fixture.memory.allocate(64) == store.levels[0].base);
    CHECK(launch(fixture, handle).status == Status::success);
    if (!of_surface(access)) check_fault(launch(fixture, handle, 2), "where there is no memory");
  }
}

TEST_CASE("shapes that no array has end in faults at most") {
  constexpr u64 most = std::numeric_limits<u64>::max();
  for (std::string const access : accesses)
    for (u64 const n : {u64{0}, u64{1} << 32, u64{1} << 62, most / 16, most})
      for (u64 const stride : {u64{0}, u64{64}, most - 63}) {
        INFO(access);
        Fixture fixture(kernel(access));
        TexelStore store = numbered(fixture.memory, 2, {4, 4, 1});
        for (int field = 0; field < 8; ++field) {
          TexelPlane& plane = store.levels[0];
          plane.width = (field & 1) != 0 ? n : 4;
          plane.height = (field & 2) != 0 ? n : 4;
          plane.slices = (field & 4) != 0 ? n : 1;
          plane.row_bytes = plane.slice_bytes = stride;
          pegasus::device::Sampling smooth;
          smooth.filter = pegasus::device::Filter::linear;
          smooth.normalized_coordinates = smooth.seamless_cubemap = true;
          for (auto const& sampling : {pegasus::device::Sampling{}, smooth}) {
            u64 const handle = of_surface(access) ? fixture.textures.add_surface(store)
                                                  : fixture.textures.add({store, sampling});
            for (float const x : {0.0f, 1.0f, 3e38f}) {
              Status const status = launch(fixture, handle, x).status;
              REQUIRE((status == Status::success || status == Status::illegal_address));
            }
          }
        }
      }
}
