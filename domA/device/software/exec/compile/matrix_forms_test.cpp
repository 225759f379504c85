// SPDX-License-Identifier: Apache-2.0
// Which forms of the matrix instructions are known.
#include "domA/device/software/exec/compile/rules/matrix_words.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;
using namespace pegasus::software::test;

namespace {

// The message for a kernel of this instruction; empty if it is known.
std::string refusal(std::string const& instruction) {
  return Fixture::build_error({".visible .entry k(.param .u64 in) { .reg .b32 %r<16>; .reg .b64 %p, %q; "
                               ".shared .align 32 .b8 mem[2048]; " +
                               instruction + " ret; }"},
                              "k");
}

} // namespace

TEST_CASE("forms of other devices and wrong operands are refused") {
  auto const refused = [](std::string const& words, std::string const& operands) {
    INFO(words);
    REQUIRE(refusal(words + " " + operands + ";").find(words) != std::string::npos);
  };
  std::string const one = "{%r0,%r1}, {%r2}, {%r3}, {%r4,%r5}";
  refused("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
          "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3}");
  refused("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
          "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6}, {%r0,%r1,%r2,%r3}");
  refused("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16",
          "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6}, {%r0,%r1}");
  refused("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", one);
  refused("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32", one);
  refused("mma.sync.aligned.m8n8k16.col.row.s32.s8.s8.s32", one);
  refused("mma.sync.aligned.m8n8k16.row.col.s32.s8.s4.s32", one);
  refused("mma.sync.aligned.m8n8k16.row.col.s32.s4.s4.s32", one);
  refused("mma.aligned.m8n8k16.row.col.s32.s8.s8.s32", one);
  REQUIRE(refusal("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 " + one + ";").empty());
  REQUIRE(refusal("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0}, {%r2}, {%r3}, {%r4,%r5};") != "");
  REQUIRE(refusal("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0,%p}, {%r2}, {%r3}, {%r4,%r5};") != "");
  REQUIRE(refusal("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0,%r1}, {%r2}, {%r3};") != "");
  REQUIRE(refusal("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32;") != "");
}

TEST_CASE("other forms of wmma are refused") {
  auto const refused = [](std::string const& instruction) { return !refusal(instruction + ";").empty(); };
  std::string const eight = "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}";
  REQUIRE_FALSE(refused("wmma.load.a.sync.aligned.row.m16n16k16.f16 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k16.bf16 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k8.f16 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k16.local.f16 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k16.f16 " + eight + ", [in]"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k16.f16 " + eight + ", [%p], %q"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%p]"));
  REQUIRE(refused("wmma.load.a.sync.aligned.row.m16n16k16.f16 " + eight));
  REQUIRE(refused("wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r0}, [%p]"));
  REQUIRE(refused("wmma.load.b.sync.aligned.row.m8n8k32.s4 {%r0}, [%p]"));
  REQUIRE(refused("wmma.load.c.sync.aligned.row.m16n16k16.f64 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.c.sync.aligned.row.m8n8k32.f32 {%r0,%r1}, [%p]"));
  REQUIRE(refused("wmma.load.d.sync.aligned.row.m16n16k16.f32 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.sync.aligned.row.m16n16k16.f32 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.load.a.aligned.row.m16n16k16.f16 " + eight + ", [%p]"));
  REQUIRE(refused("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite " + eight + "," + eight + "," +
                  eight + "," + eight));
  REQUIRE(refused("wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.s8.s32 " + eight + ",{%r8,%r9},{%r8,%r9}," +
                  eight));
  REQUIRE(refused("wmma.mma.sync.aligned.row.row.m8n8k32.s32.u4.u4.s32 {%r0,%r1},{%r8},{%r9},{%r0,%r1}"));
  REQUIRE(refused(
      "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r0,%r1},{%r8},{%r9},{%r0,%r1}"));
  REQUIRE(refused("ldmatrix.sync.aligned.m8n8.x2.b16 {%r0}, [%p]"));
  REQUIRE(refused("ldmatrix.sync.aligned.m8n8.b16 {%r0}, [%p]"));
  REQUIRE(refused("ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r0}, [%p]"));
  REQUIRE(refused("ldmatrix.sync.aligned.m8n16.x1.b16 {%r0}, [%p]"));
  REQUIRE(refused("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}"));
  REQUIRE(refused("movmatrix.sync.aligned.m8n8.b16 %r0, %r1"));
}
