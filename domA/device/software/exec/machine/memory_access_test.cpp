// SPDX-License-Identifier: Apache-2.0
// Address spaces, vectors, and every kind of fault.
#include "domA/device/software/exec/machine/block.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

std::string kernel(std::string const& body) {
  return R"(.visible .entry k(.param .u64 p, .param .u64 q) {
  .reg .b64 %p, %q, %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .f32 %f<9>; .reg .pred %c;
  .shared .align 16 .b8 mem[64]; .local .align 16 .b8 loc[64];
  ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u32 %r0, %tid.x;
)" + body +
         " ret; }";
}

} // namespace

TEST_CASE("loads extend by the sign of their type, stores cut") {
  Fixture fixture(kernel(R"(
  ld.global.s8 %r1, [%p]; st.global.u32 [%q], %r1;
  ld.global.u8 %h1, [%p]; st.global.u16 [%q+4], %h1;
  ld.global.s16 %rd1, [%p]; st.global.u64 [%q+8], %rd1;
  ld.global.u32 %rd1, [%p]; st.global.u32 [%q+16], %rd1; st.global.u8 [%q+21], %rd1;
  ld.global.v4.u8 {%h1, %h2, %h3, _}, [%p]; st.global.v2.u16 [%q+24], {%h3, %h2};
  ld.global.v2.f32 {%f1, %f2}, [%p]; st.global.v2.f32 [%q+32], {%f2, %f1};)"));
  Address const p = fixture.put(std::vector<u32>{0x8483fefd, 0x3f800000}),
                q = fixture.put(std::vector<u32>(16));
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {p, q});
  auto const out = fixture.get<u32>(q, 10);
  CHECK(out[0] == 0xfffffffd);
  CHECK(out[1] == 0xfd);
  CHECK((out[2] == 0xfffffefd && out[3] == 0xffffffff));
  CHECK(out[4] == 0x8483fefd);
  CHECK(out[5] == 0xfd00);
  CHECK(out[6] == 0x00fe0083);
  CHECK((out[8] == 0x3f800000 && out[9] == 0x8483fefd));
}

TEST_CASE("scattered, broadcast and partly masked accesses") {
  Fixture fixture(kernel(R"(
  mul.lo.u32 %r1, %r0, 7; and.b32 %r1, %r1, 31; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd1, %p;
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r3, [%p+20]; add.u32 %r2, %r2, %r3;
  setp.lt.u32 %c, %r0, 9; @%c ld.global.u32 %r2, [%p];
  mul.wide.u32 %rd2, %r0, 8; add.s64 %rd2, %rd2, %q; st.global.u32 [%rd2], %r2;)"));
  std::vector<u32> in;
  for (u32 i = 0; i < 32; ++i)
    in.push_back(1000 + i);
  Address const p = fixture.put(in), q = fixture.put(std::vector<u32>(64));
  fixture.run("k", {1, 1, 1}, {32, 1, 1}, {p, q});
  auto const out = fixture.get<u32>(q, 64);
  for (u32 t = 0; t < 32; ++t)
    CHECK(out[2 * t] == (t < 9 ? 1000 : 1000 + t * 7 % 32 + 1005));
}

TEST_CASE("generic addresses reach every space") {
  Fixture fixture(kernel(R"(
  mov.u64 %rd1, mem; cvta.shared.u64 %rd1, %rd1; mov.u64 %rd2, loc; cvta.local.u64 %rd2, %rd2;
  st.u32 [%rd1+4], 11; st.u64 [%rd2+8], 22; ld.shared.u32 %r1, [mem+4]; ld.local.u32 %r2, [loc+8];
  add.u32 %r1, %r1, %r2; st.u32 [%q], %r1;
  setp.eq.u32 %c, %r0, 0; @%c mov.u64 %rd3, %rd1; @!%c mov.u64 %rd3, %rd2; st.u32 [%rd3+12], %r0; ld.u32 %r4, [%rd3+12];
  mul.wide.u32 %rd4, %r0, 4; add.s64 %rd4, %rd4, %q; st.u32 [%rd4+16], %r4;
  isspacep.shared %c, %rd1; selp.u32 %r5, 1, 0, %c; isspacep.local %c, %rd2; selp.u32 %r6, 2, 0, %c;
  isspacep.global %c, %q; selp.u32 %r7, 4, 0, %c; isspacep.global %c, %rd1; selp.u32 %r8, 8, 0, %c;
  or.b32 %r5, %r5, %r6; or.b32 %r5, %r5, %r7; or.b32 %r5, %r5, %r8; st.u32 [%q+4], %r5;
  cvta.to.shared.u64 %rd5, %rd1; cvt.u32.u64 %r1, %rd5; ld.shared.u32 %r1, [%r1+4]; st.u32 [%q+8], %r1;)"));
  Address const q = fixture.put(std::vector<u32>(16));
  fixture.run("k", {1, 1, 1}, {4, 1, 1}, {q, q});
  auto const out = fixture.get<u32>(q, 8);
  CHECK(out[0] == 33);
  CHECK(out[1] == 7);
  CHECK(out[2] == 11);
  for (u32 t = 0; t < 4; ++t)
    CHECK(out[4 + t] == t);
}

TEST_CASE("local memory is each thread's own, at any offset and width") {
  Fixture fixture(kernel(R"(
  mov.u64 %rd1, loc; mul.wide.u32 %rd2, %r0, 2; and.b64 %rd2, %rd2, 62; add.s64 %rd1, %rd1, %rd2;
  cvt.u16.u32 %h1, %r0; st.local.u16 [%rd1], %h1; ld.local.u16 %h2, [%rd1];
  st.local.v4.u32 [loc+16], {%r0, 1, 2, 3}; ld.local.v2.u64 {%rd3, %rd4}, [loc+16];
  ld.local.u8 %h3, [loc+16]; cvt.u32.u16 %r1, %h3; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r2, %rd3;
  add.u32 %r1, %r1, %r2; mul.wide.u32 %rd5, %r0, 4; add.s64 %rd5, %rd5, %q; st.global.u32 [%rd5], %r1;)"));
  Address const q = fixture.put(std::vector<u32>(64));
  fixture.run("k", {1, 1, 1}, {64, 1, 1}, {q, q});
  auto const out = fixture.get<u32>(q, 64);
  for (u32 t = 0; t < 64; ++t)
    CHECK(out[t] == t + 1);
}

TEST_CASE("module variables: initial values, addresses of each other, constants, dynamic shared memory") {
  Fixture fixture(R"(
.global .align 4 .u32 table[3] = {10, 20, 30};
.const .f32 half = 0f3F000000;
.global .u64 pointer = table+8;
.global .u64 pointer2 = generic(table)+4;
.extern .shared .align 8 .b8 dynamic[];
.visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f1; .shared .u32 fixed;
  ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [pointer]; ld.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;
  ld.global.u64 %rd2, [pointer2]; ld.u32 %r1, [%rd2]; st.global.u32 [%rd1+4], %r1;
  ld.const.f32 %f1, [half]; st.global.f32 [%rd1+8], %f1;
  st.shared.u32 [fixed], 5; st.shared.u32 [dynamic+60], 6; ld.shared.u32 %r1, [fixed]; st.global.u32 [%rd1+12], %r1;
  mov.u32 %r2, dynamic; ld.shared.u32 %r1, [%r2+60]; st.global.u32 [%rd1+16], %r1; ret; })");
  Address const out = fixture.put(std::vector<u32>(8));
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {out}, 64);
  REQUIRE(fixture.get<u32>(out, 5) == std::vector<u32>{30, 20, 0x3f000000, 5, 6});
  Outcome const small = fixture.launch("k", {1, 1, 1}, {1, 1, 1}, {out}, 32);
  REQUIRE(small.status == Status::illegal_address);
}

// ptxas counts 40 bytes of static shared memory here.
TEST_CASE("static shared memory is what the variables take, and dynamic memory begins aligned behind them") {
  Fixture fixture(R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<3>;
  .shared .align 4 .b8 a[20]; .shared .align 4 .b8 b[20];
  ld.param.u64 %rd1, [out]; mov.u32 %r1, a; st.shared.u32 [%r1], 1; mov.u32 %r1, b; st.shared.u32 [%r1+16], 2;
  mov.u32 %r1, dynamic; st.global.u32 [%rd1], %r1; st.shared.u32 [dynamic+12], 3; ret; })");
  CHECK(fixture.program->info(**fixture.program->kernel("k")).static_shared_bytes == 40);
  Address const out = fixture.put(std::vector<u32>(1));
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {out}, 16);
  CHECK(fixture.get<u32>(out, 1)[0] % 16 == 0);
}

// Lane 9 of the second warp is not a thread; a shuffle from it reads its register, which was never written.
// Just before, the first warp's accesses use the same part of the host's stack.
TEST_CASE("a lane that does not exist gets nothing from a load") {
  Fixture fixture(kernel(R"(
  mov.u64 %rd1, loc; cvta.local.u64 %rd1, %rd1; st.local.u64 [loc], 0x1234567812345678;
  ld.v2.u32 {%r1, %r2}, [%rd1];
  shfl.sync.idx.b32 %r3, %r1, 9, 0x1f, -1;
  mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd2, %q; st.global.u32 [%rd2], %r3;)"));
  Address const q = fixture.put(std::vector<u32>(33));
  fixture.run("k", {1, 1, 1}, {33, 1, 1}, {q, q});
  auto const out = fixture.get<u32>(q, 33);
  CHECK(out[0] == 0x12345678);
  CHECK(out[32] == 0);
}

TEST_CASE("faults are found byte by byte and say where") {
  struct Row {
    std::string code;
    Status status;
    std::string says;
  };
  Row const rows[] = {
      {"ld.global.u32 %r1, [%p+64];", Status::illegal_address, "0 bytes past its end"},
      {"ld.global.u32 %r1, [%p+60]; ld.global.u8 %r1, [%p+64];", Status::illegal_address, "load of 1 bytes"},
      {"ld.global.u64 %rd1, [%p+60];", Status::misaligned_address, "misaligned load of 8 bytes"},
      {"ld.global.u64 %rd1, [%p+64];", Status::illegal_address, "thread [0,0,0]"},
      {"st.global.u32 [%p+62], %r0;", Status::misaligned_address, "misaligned store"},
      {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%p+56];", Status::misaligned_address, "16 bytes"},
      {"mov.u64 %rd1, 0; st.global.u32 [%rd1], %r0;", Status::illegal_address, "PTX line"},
      {"mov.u64 %rd1, 0; st.u32 [%rd1], %r0;", Status::illegal_address, "kernel 'k'"},
      {"setp.eq.u32 %c, %r0, 7; @%c st.global.u32 [%p+256], %r0;", Status::illegal_address, "thread [7,0,0]"},
      {"ld.shared.u32 %r1, [mem+64];", Status::illegal_address, "shared memory of the block is 64 bytes"},
      {"mov.u32 %r1, mem; ld.shared.u32 %r1, [%r1+-4];", Status::illegal_address, "shared"},
      {"st.shared.u32 [mem+2], %r0;", Status::misaligned_address, "misaligned"},
      {"st.local.u32 [loc+64], %r0;", Status::illegal_address, "local memory of the thread"},
      {"mov.u64 %rd1, loc; shl.b64 %rd2, %p, 3; st.local.u32 [%rd2], %r0;", Status::illegal_address,
       "illegal store"},
      {"atom.global.add.u32 %r1, [%p+64], 1;", Status::illegal_address, "illegal atomic"},
      {"atom.global.add.u64 %rd1, [%p+4], 1;", Status::misaligned_address, "misaligned atomic"},
      {"mov.u64 %rd1, loc; cvta.local.u64 %rd1, %rd1; atom.add.u32 %r1, [%rd1], 1;",
       Status::invalid_address_space, "local memory"},
      {"ld.global.u32 %r1, [%q];", Status::illegal_address, "nearest allocation"},
      {"trap;", Status::launch_failed, "trap"},
  };
  for (Row const& row : rows) {
    INFO(row.code);
    Fixture fixture(kernel(row.code));
    Address const p = fixture.put(std::vector<u32>(16)), q = fixture.put(std::vector<u32>(16));
    REQUIRE(fixture.memory.free(q));
    Outcome const outcome = fixture.launch("k", {1, 1, 1}, {32, 1, 1}, {p, q});
    CHECK(outcome.status == row.status);
    CHECK_THAT(outcome.diagnostic, Catch::Contains(row.says));
    // The same machine can still run kernels.
    Fixture again(kernel("st.global.u32 [%p], 1;"));
    Address const ok = again.put(std::vector<u32>(1));
    again.run("k", {1, 1, 1}, {1, 1, 1}, {ok, ok});
  }
}

TEST_CASE("an access to one state space never reaches another, and ends") {
  struct Space {
    std::string name;      // of its accesses
    std::string elsewhere; // sets %rd1 to a valid address of another space, as an offset into this one
  };
  std::string const shared_at = "mov.u64 %rd1, mem; cvta.shared.u64 %rd1, %rd1;";
  std::string const local_at = "mov.u64 %rd1, loc; cvta.local.u64 %rd1, %rd1;";
  Space const rows[] = {
      {"local", "mov.u64 %rd1, %p;"},
      {"local",
       "mov.u64 %rd2, loc; cvta.local.u64 %rd3, %rd2; sub.s64 %rd2, %rd2, %rd3; add.s64 %rd1, %p, %rd2;"},
      {"local", shared_at},
      {"local", local_at},
      {"shared", "mov.u64 %rd1, %p;"},
      {"shared",
       "mov.u64 %rd2, mem; cvta.shared.u64 %rd3, %rd2; sub.s64 %rd2, %rd2, %rd3; add.s64 %rd1, %p, %rd2;"},
      {"shared", shared_at},
      {"shared", local_at},
      {"global", shared_at},
      {"global", local_at},
  };
  std::string const accesses[] = {"ld.{}.u32 %r1, [%rd1];", "st.{}.u32 [%rd1], %r0;",
                                  "ld.{}.v2.u32 {{%r1, %r2}}, [%rd1];", "st.{}.v2.u32 [%rd1], {{%r0, %r0}};",
                                  "atom.{}.add.u32 %r1, [%rd1], 1;"};
  for (Space const& row : rows)
    for (std::string const& access : accesses)
      for (u32 const threads : {1u, 32u}) {
        if (row.name == "local" && access.starts_with("atom")) continue; // refused when it is compiled
        std::string const code = row.elsewhere + fmt::format(fmt::runtime(access), row.name);
        INFO(code << " by " << threads);
        Fixture fixture(kernel(code));
        Address const p = fixture.put(std::vector<u32>(16, 7));
        Outcome const outcome = fixture.launch("k", {1, 1, 1}, {threads, 1, 1}, {p, p});
        CHECK(outcome.status == Status::illegal_address);
        CHECK_THAT(outcome.diagnostic,
                   Catch::Contains(row.name == "global" ? "allocation" : row.name + " memory"));
        CHECK(fixture.get<u32>(p, 16) == std::vector<u32>(16, 7));
      }
}

TEST_CASE("stores before a fault stay") {
  Fixture fixture(kernel("st.global.u32 [%p], 77; st.global.u32 [%p+64], 1;"));
  Address const p = fixture.put(std::vector<u32>(16));
  REQUIRE(fixture.launch("k", {1, 1, 1}, {1, 1, 1}, {p, p}).status == Status::illegal_address);
  REQUIRE(fixture.get<u32>(p, 1)[0] == 77);
}

TEST_CASE("kernel parameters: structures, odd sizes, addresses of them") {
  Fixture fixture(
      R"(.visible .entry k(.param .u8 a, .param .align 8 .b8 s[40], .param .u16 b, .param .u64 out) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<4>;
  ld.param.u64 %rd1, [out]; ld.param.s8 %r1, [a]; st.global.u32 [%rd1], %r1;
  ld.param.u32 %r1, [s+4]; st.global.u32 [%rd1+4], %r1; ld.param.u16 %h1, [b]; st.global.u16 [%rd1+8], %h1;
  mov.b64 %rd2, s; ld.param.u16 %h1, [%rd2+2]; st.global.u16 [%rd1+10], %h1;
  ld.param.v2.u32 {%r1, %r2}, [s]; st.global.u32 [%rd1+12], %r2; ret; })");
  auto const kernel_info = fixture.program->info(**fixture.program->kernel("k"));
  REQUIRE(kernel_info.parameters.size() == 4);
  CHECK((kernel_info.parameters[1].offset == 8 && kernel_info.parameters[1].bytes == 40));
  CHECK((kernel_info.parameters[2].offset == 48 && kernel_info.parameters[3].offset == 56));
  CHECK(kernel_info.parameter_bytes == 64);
  Address const out = fixture.put(std::vector<u32>(4));
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {0x85, 0x1234567890abcdef, 0xbeef, out});
  REQUIRE(fixture.get<u32>(out, 4) == std::vector<u32>{0xffffff85, 0x12345678, 0x90abbeef, 0x12345678});
}

TEST_CASE("launches with impossible shapes are refused") {
  Fixture fixture(
      R"(.visible .entry k() .maxntid 64, 1, 1 { ret; }  .visible .entry r() .reqntid 8, 4, 1 { ret; }
             .visible .entry any() { ret; })");
  auto const status = [&](char const* name, pegasus::device::Dim3 grid, pegasus::device::Dim3 block,
                          u32 shared = 0) { return fixture.launch(name, grid, block, {}, shared).status; };
  CHECK(status("any", {1, 1, 1}, {1024, 1, 1}) == Status::success);
  CHECK(status("any", {0, 1, 1}, {1, 1, 1}) == Status::invalid_value);
  CHECK(status("any", {1, 1, 1}, {1, 0, 1}) == Status::invalid_value);
  CHECK(status("any", {1, 1, 1}, {1025, 1, 1}) == Status::invalid_value);
  CHECK(status("any", {1, 1, 1}, {1, 1, 65}) == Status::invalid_value);
  CHECK(status("any", {1, 1, 1}, {64, 64, 1}) == Status::invalid_value);
  CHECK(status("any", {1, 65536, 1}, {1, 1, 1}) == Status::invalid_value);
  CHECK(status("any", {0x80000000, 1, 1}, {1, 1, 1}) == Status::invalid_value);
  CHECK(status("any", {1, 1, 1}, {1, 1, 1}, 65536) == Status::success);
  CHECK(status("any", {1, 1, 1}, {1, 1, 1}, 65537) == Status::invalid_value);
  CHECK(status("k", {1, 1, 1}, {65, 1, 1}) == Status::invalid_value);
  CHECK(status("r", {1, 1, 1}, {8, 4, 1}) == Status::success);
  CHECK(status("r", {1, 1, 1}, {4, 8, 1}) == Status::invalid_value);
}
