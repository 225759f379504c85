// SPDX-License-Identifier: Apache-2.0
// Which instructions of compute capability 8.0 are known, and that units for 7.5 do not have them.
#include "domA/device/software/exec/compile/rules/table.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::software;
using namespace pegasus::software::test;

namespace {

// The message for a kernel of this instruction; empty if it is known.
std::string refusal(std::string const& instruction, std::uint32_t target) {
  return Fixture::build_error(
      {with_header(".visible .entry k(.param .u64 in) { .reg .b32 %r<16>; .reg .b64 %p, %q; .reg .b16 %h<4>;"
                   ".reg .f32 %f<4>; .reg .f64 %d<8>; .reg .pred %b; .shared .align 32 .b8 mem[2048];\n" +
                       instruction + ";\nret; }",
                   target)},
      "k");
}

std::string name_of(std::string const& instruction) { return instruction.substr(0, instruction.find(' ')); }

constexpr char const* known[] = {
    "cp.async.ca.shared.global [mem], [%p], 4",
    "cp.async.cg.shared.global [mem], [%p], 16, %r0",
    "cp.async.ca.shared::cta.global.L2::cache_hint.L2::64B [mem], [%p], 8, %b, %q",
    "cp.async.commit_group",
    "cp.async.wait_group 3",
    "cp.async.wait_all",
    "cp.async.mbarrier.arrive.b64 [%p]",
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [mem]",
    "mbarrier.init.b64 [%p], %r0",
    "mbarrier.inval.shared.b64 [mem]",
    "mbarrier.arrive.b64 %q, [%p]",
    "mbarrier.arrive_drop.noComplete.shared.b64 %q, [mem], %r0",
    "mbarrier.test_wait.shared.b64 %b, [mem], %q",
    "mbarrier.test_wait.parity.acquire.cta.shared.b64 %b, [mem], %r0",
    "mbarrier.pending_count.b64 %r0, %q",
    "createpolicy.fractional.L2::evict_last.b64 %q, 0.5",
    "createpolicy.range.L2::evict_first.L2::evict_unchanged.b64 %q, [%p], 4096, %r0",
    "createpolicy.cvt.L2.b64 %q, %p",
    "discard.global.L2 [%p], 128",
    "applypriority.global.L2::evict_normal [%p], 128",
    "ld.global.L2::cache_hint.v2.b32 {%r0, %r1}, [%p], %q",
    "st.L2::cache_hint.b32 [%p], %r0, %q",
    "atom.global.cas.L2::cache_hint.b32 %r0, [%p], %r1, %r2, %q",
    "fma.rn.bf16 %h0, %h1, %h2, %h3",
    "fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3",
    "min.NaN.bf16 %h0, %h1, %h2",
    "max.bf16x2 %r0, %r1, %r2",
    "neg.bf16 %h0, %h1",
    "abs.bf16x2 %r0, %r1",
    "cvt.rn.bf16.f32 %h0, %f0",
    "cvt.rz.relu.bf16.f32 %h0, %f0",
    "cvt.rn.relu.bf16x2.f32 %r0, %f0, %f1",
    "cvt.rz.f16x2.f32 %r0, %f0, %f1",
    "cvt.rn.relu.f16.f32 %h0, %f0",
    "cvt.rna.tf32.f32 %r0, %f0",
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r3,%r4,%r5}, {%r6,%r7}, {%r8,%r9}",
    ("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6}, "
     "{%r0,%r1,%r2,%r3}"),
    "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%d0,%d1}, {%d2}, {%d3}, {%d4,%d5}",
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r0,%r1}, {%r2}, {%r3}, {%r4,%r5}",
    "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d0}, [%p]",
    "wmma.load.c.sync.aligned.row.m16n16k8.f32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p]",
    "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%d0,%d1}, {%d2}, {%d3}, {%d4,%d5}",
};

// Of later devices, or wrong.
constexpr char const* unknown[] = {
    "cp.async.bulk.commit_group",
    "cp.async.ca.shared.shared [mem], [mem], 4",
    "cp.async.ca.global.shared [%p], [mem], 4",
    "cp.async.ca.shared.global.L2::32B [mem], [%p], 4",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p], [mem], %r0",
    "mbarrier.try_wait.shared.b64 %b, [mem], %q",
    "mbarrier.arrive.expect_tx.shared.b64 %q, [mem], %r0",
    "mbarrier.arrive.shared.b64 %q, [mem], %r0",
    "mbarrier.init.global.b64 [%p], 1",
    "createpolicy.fractional.L2::evict_all.b64 %q",
    "discard.global.L1 [%p], 128",
    "applypriority.global.L2::evict_last [%p], 128",
    "add.rn.bf16 %h0, %h1, %h2",
    "fma.rz.bf16 %h0, %h1, %h2, %h3",
    "max.xorsign.abs.bf16 %h0, %h1, %h2",
    "cvt.rm.bf16.f32 %h0, %f0",
    "cvt.rn.satfinite.bf16.f32 %h0, %f0",
    "cvt.rn.tf32.f32 %r0, %f0",
    "cvt.f32.bf16 %f0, %h0",
    ("mma.sync.aligned.m16n8k8.row.col.rn.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6}, "
     "{%r0,%r1,%r2,%r3}"),
    "mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%r0,%r1}, {%r4,%r5}, {%r6}, {%r0,%r1}",
    ("mma.sync.aligned.m16n8k8.row.col.f32.bf16.f16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6}, "
     "{%r0,%r1,%r2,%r3}"),
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%d0,%d1,%d2,%d3}, {%d4,%d5}, {%d6}, {%d0,%d1,%d2,%d3}",
    "wmma.load.a.sync.aligned.row.m16n16k8.bf16 {%r0,%r1,%r2,%r3}, [%p]",
    "wmma.load.c.sync.aligned.row.m16n16k8.f16 {%r0,%r1,%r2,%r3}, [%p]",
};

// Known, with operands that do not fit.
constexpr char const* invalid[] = {
    "cp.async.ca.shared.global [mem], [%p], 5",
    "cp.async.cg.shared.global [mem], [%p], 8",
    "cp.async.ca.shared.global [mem], [%p], %r0",
    "cp.async.ca.shared.global [mem], [%p]",
    "cp.async.ca.shared.global [mem], [%p], 4, %r0, %r1",
    "cp.async.ca.shared.global.L2::cache_hint [mem], [%p], 4",
    "cp.async.ca.shared.global [in], [%p], 4",
    "cp.async.ca.shared.global [mem], [mem], 4",
    "cp.async.wait_group %r0",
    "cp.async.wait_group",
    "cp.async.wait_all 0",
    "mbarrier.init.shared.b64 [in], 1",
    "mbarrier.init.shared.b64 [mem]",
    "mbarrier.test_wait.shared.b64 %b, [mem], %r0",
    "discard.global.L2 [%p], 64",
    "discard.global.L2 [mem], 128",
    "ld.global.L2::cache_hint.b32 %r0, [%p]",
    "ld.global.L2::cache_hint.b32 %r0, [%p], %r1",
    "cvt.rn.bf16x2.f32 %r0, %f0",
    "cvt.rn.bf16.f32 %h0, %f0, %f1",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%r2}, {%d3}, {%d4,%d5}",
    "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%r0}, [%p]",
};

} // namespace

TEST_CASE("instructions of 8.0 are in units for it") {
  for (std::string const instruction : known) {
    INFO(instruction);
    CHECK(refusal(instruction, 80).empty());
    std::string const older = refusal(instruction, 75);
    CHECK_THAT(older, Catch::Contains("does not know the instruction '" + name_of(instruction) + "'"));
    CHECK_THAT(older, Catch::EndsWith("it needs .target sm_80 or higher"));
  }
}

TEST_CASE("other instructions are refused by name") {
  for (std::string const instruction : unknown) {
    INFO(instruction);
    CHECK_THAT(refusal(instruction, 80),
               Catch::Contains("does not know the instruction '" + name_of(instruction) + "'"));
  }
}

TEST_CASE("operands that do not fit are errors") {
  for (std::string const instruction : invalid) {
    INFO(instruction);
    CHECK_FALSE(refusal(instruction, 80).empty());
  }
}
