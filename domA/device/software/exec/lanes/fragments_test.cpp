// SPDX-License-Identifier: Apache-2.0
// Matrices in memory: ldmatrix, movmatrix, and wmma from load to store against plain sums.
#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_matrices.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <random>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using s64 = std::int64_t;

namespace {

constexpr Isa sets[] = {Isa::baseline, Isa::avx2, Isa::avx512};

// Shared memory holds the halves 0, 1, 2, ...; %s is the address of lane l's row: row 31 - l, so that rows are not in
// order. The results are the four registers %r0 to %r3 of each lane.
std::string rows_kernel(std::string const& body) {
  return R"(.visible .entry k(.param .u64 out) { .reg .b32 %r<8>, %l, %s, %i; .reg .b64 %q, %o, %g; .reg .pred %p, %h;
  .reg .b16 %v; .shared .align 16 .b8 mem[512];
  mov.u32 %l, %laneid; mov.u32 %i, 0; mov.b32 %r0, 9; mov.b32 %r1, 9; mov.b32 %r2, 9; mov.b32 %r3, 9;
FILL: mov.u32 %s, mem; mad.lo.u32 %s, %i, 2, %s; cvt.u16.u32 %v, %i; st.shared.b16 [%s], %v;
  add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 256; @%p bra FILL;
  bar.warp.sync -1;
  xor.b32 %s, %l, 31; mov.u32 %i, mem; mad.lo.u32 %s, %s, 16, %i; cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g;
  )" + body +
         R"(
  ld.param.u64 %q, [out]; mul.wide.u32 %o, %l, 16; add.s64 %q, %q, %o; st.global.v4.b32 [%q], {%r0,%r1,%r2,%r3};
  ret; })";
}

u32 row_of(u32 lane) { return 31 - lane; }

Outcome failing(std::string const& body, u32 threads = 32) {
  Fixture fixture(rows_kernel(body));
  Address const out = fixture.put(std::vector<u32>(std::size_t{4} * 64));
  return fixture.launch("k", {1, 1, 1}, {threads, 1, 1}, {out});
}

constexpr char const* any_load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%s];";

} // namespace

TEST_CASE("ldmatrix gives each lane two elements of a row, or of a column") {
  for (u32 const matrices : {1u, 2u, 4u})
    for (bool const transposed : {false, true})
      for (bool const generic : {false, true})
        for (Isa const isa : sets) {
          Fixture fixture(
              rows_kernel(fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}{}.b16 {}, [{}];", matrices,
                                      transposed ? ".trans" : "", generic ? "" : ".shared",
                                      register_list(0, matrices), generic ? "%g" : "%s")),
              isa);
          Address const out = fixture.put(std::vector<u32>(128));
          fixture.run("k", {1, 1, 1}, {32, 1, 1}, {out});
          auto const x = fixture.get<u32>(out, 128);
          for (u32 lane = 0; lane < 32; ++lane)
            for (u32 m = 0; m < 4; ++m) {
              auto const element = [&](u32 i) {
                u32 const r = lane / 4, c = lane % 4 * 2 + i;
                return transposed ? row_of(m * 8 + c) * 8 + r : row_of(m * 8 + r) * 8 + c;
              };
              INFO("x" << matrices << " lane " << lane << " matrix " << m);
              REQUIRE(x[lane * 4 + m] == (m < matrices ? element(0) | element(1) << 16 : 9));
            }
        }
}

TEST_CASE("movmatrix transposes, also in place") {
  for (auto const* to : {"%r0", "%r1"}) {
    Fixture fixture(
        rows_kernel(fmt::format("mad.lo.u32 %r0, %l, 0x20002, 0x10000;"
                                "movmatrix.sync.aligned.m8n8.trans.b16 {0}, %r0; mov.b32 %r2, {0};",
                                to)));
    Address const out = fixture.put(std::vector<u32>(128));
    fixture.run("k", {1, 1, 1}, {32, 1, 1}, {out});
    auto const x = fixture.get<u32>(out, 128);
    for (u32 lane = 0; lane < 32; ++lane) { // the element in row r and column c was 8r + c
      u32 const r = lane / 4, c = lane % 4 * 2;
      REQUIRE(x[lane * 4 + 2] == ((c * 8 + r) | (c * 8 + 8 + r) << 16));
    }
  }
}

TEST_CASE("ldmatrix checks each address that it uses") {
  Outcome const odd = failing("setp.eq.u32 %p, %l, 5; @%p add.u32 %s, %s, 8; "
                              "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%s];");
  REQUIRE(odd.status == Status::misaligned_address);
  REQUIRE(odd.diagnostic.find("misaligned load of 16 bytes") != std::string::npos);
  REQUIRE(odd.diagnostic.find("[5,0,0]") != std::string::npos);
  REQUIRE(
      failing("mov.u32 %s, 512; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%s];").status ==
      Status::illegal_address);
  REQUIRE(failing("mov.u32 %s, -16; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0,%r1,%r2,%r3}, [%s];")
              .status == Status::illegal_address);
  REQUIRE(failing("mov.u64 %g, 0; ldmatrix.sync.aligned.m8n8.x2.b16 {%r0,%r1}, [%g];").status ==
          Status::illegal_address);
  // The addresses of lanes that have no row are not used.
  REQUIRE(failing("setp.ge.u32 %p, %l, 16; @%p mov.u32 %s, 7; "
                  "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0,%r1}, [%s];")
              .status == Status::success);
}

TEST_CASE("an operation on matrices needs the whole warp") {
  std::string const needs = "needs all 32 lanes of the warp";
  std::string const load = any_load;
  Outcome const few = failing(load, 8);
  REQUIRE(few.status == Status::launch_failed);
  REQUIRE(few.diagnostic.find(needs) != std::string::npos);
  REQUIRE(few.diagnostic.find("lanes 0xffffff00 have exited") != std::string::npos);
  REQUIRE(failing(load, 40).diagnostic.find(needs) != std::string::npos);
  REQUIRE(failing("setp.lt.u32 %p, %l, 4; @%p exit;" + load).diagnostic.find(needs) != std::string::npos);
  REQUIRE(failing("setp.lt.u32 %p, %l, 4; @%p " + load).diagnostic.find(needs) != std::string::npos);
  Outcome const apart = failing("setp.lt.u32 %p, %l, 4; @%p bra A;" + load + " bra B; A: " + load + " B:");
  REQUIRE(apart.status == Status::launch_failed);
  REQUIRE(apart.diagnostic.find("are at another instruction") != std::string::npos);
  REQUIRE(failing("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", 31).diagnostic.find(needs) !=
          std::string::npos);
  REQUIRE(failing("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0,%r1}, {%r2}, {%r3}, {%r0,%r1};", 16)
              .diagnostic.find(needs) != std::string::npos);
  REQUIRE(failing("setp.lt.u32 %p, %l, 32; @%p " + load).status == Status::success);
}

TEST_CASE("lanes that waited apart from each other meet before an operation on matrices") {
  std::string const load = any_load;
  // Each half of the warp waits for itself; the warp is then in two parts.
  REQUIRE(
      failing(
          "setp.lt.u32 %p, %l, 16; @%p bra A; bar.warp.sync 0xffff0000; bra B; A: bar.warp.sync 0xffff; B: " +
          load)
          .status == Status::success);
  // Lane 0 spins until another lane has gone on.
  REQUIRE(failing(R"(setp.ne.u32 %p, %l, 0; @%p bra A;
  W: ld.volatile.shared.u32 %r1, [mem+508]; setp.ne.u32 %h, %r1, 1; @%h bra W; bra B;
  A: st.volatile.shared.u32 [mem+508], 1; B: )" +
                  load)
              .status == Status::success);
}
