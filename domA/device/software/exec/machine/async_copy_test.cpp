// SPDX-License-Identifier: Apache-2.0
// cp.async: what is copied, and that both sides are checked. Cache policies and lines have no effect but their checks.
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;

namespace {

constexpr u32 lanes = 32;

// %g is the address of the lane's 16 bytes of 512, %s that in shared memory, which is 1,024 bytes of 0xff.
std::string copying(std::string const& body) {
  return for_sm_80(
      R"(.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %l, %s, %n, %v, %x; .reg .b64 %g, %q, %o, %z;
  .reg .pred %p, %h; .shared .align 128 .b8 mem[1024];
  mov.u32 %l, %laneid; ld.param.u64 %g, [in]; ld.param.u64 %q, [out];
  mul.wide.u32 %o, %l, 16; add.s64 %g, %g, %o; add.s64 %q, %q, %o;
  mov.u32 %s, mem; mad.lo.u32 %s, %l, 32, %s; mov.b32 %v, -1;
  st.shared.v4.b32 [%s], {%v, %v, %v, %v}; st.shared.v4.b32 [%s+16], {%v, %v, %v, %v};
  mov.u32 %s, mem; mad.lo.u32 %s, %l, 16, %s;
  bar.warp.sync -1;
)" + body +
      R"(
  cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;
  bar.warp.sync -1;
  .reg .b32 %r<4>;
  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%s]; st.global.v4.b32 [%q], {%r0, %r1, %r2, %r3};
  ret; })");
}

std::vector<u32> counting() {
  std::vector<u32> values(std::size_t{4} * lanes);
  for (u32 i = 0; i < values.size(); ++i)
    values[i] = 0x01010101 * (i + 1);
  return values;
}

std::vector<u32> copied(std::string const& body) {
  Fixture fixture(copying(body));
  Address const out = fixture.put(std::vector<u32>(std::size_t{4} * lanes));
  fixture.run("k", {1, 1, 1}, {lanes, 1, 1}, {fixture.put(counting()), out});
  return fixture.get<u32>(out, std::size_t{4} * lanes);
}

Outcome failing(std::string const& body) {
  Fixture fixture(copying(body));
  Address const in = fixture.put(counting());
  return fixture.launch("k", {1, 1, 1}, {lanes, 1, 1}, {in, fixture.put(counting())});
}

// What the bytes of a lane are after a copy of `size`, of which `from` come from the source and the others are zero.
std::vector<u32> expected(u32 size, u32 from(u32 lane)) {
  std::vector<u32> values(std::size_t{4} * lanes, 0xffffffff);
  std::vector<u32> const source = counting();
  auto* const to = reinterpret_cast<std::uint8_t*>(values.data());
  auto const* const in = reinterpret_cast<std::uint8_t const*>(source.data());
  for (u32 lane = 0; lane < lanes; ++lane)
    for (u32 i = 0; i < size; ++i)
      to[lane * 16 + i] = i < from(lane) ? in[lane * 16 + i] : std::uint8_t{0};
  return values;
}

} // namespace

TEST_CASE("copies of each size, with the words that do not matter") {
  auto const all = [](u32) { return 16u; };
  for (u32 const size : {4u, 8u, 16u})
    for (auto const* words :
         {"shared.global", "shared::cta.global", "shared.global.L2::64B", "shared.global.L2::256B"})
      CHECK(copied(fmt::format("cp.async.ca.{} [%s], [%g], {};", words, size)) == expected(size, all));
  CHECK(copied("cp.async.cg.shared.global.L2::128B [%s], [%g], 16;") == expected(16, all));
  CHECK(copied("createpolicy.fractional.L2::evict_last.b64 %z, 1.0;"
               "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%s], [%g], 16, %z;") == expected(16, all));
  CHECK(copied("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %z;"
               "cp.async.ca.shared.global.L2::cache_hint [%s], [%g], 8, 5, %z;") ==
        expected(8, [](u32) { return 5u; }));
}

TEST_CASE("a smaller source is filled with zeros, and is all that is read") {
  CHECK(copied("and.b32 %n, %l, 15; cp.async.ca.shared.global [%s], [%g], 16, %n;") ==
        expected(16, [](u32 lane) { return lane & 15; }));
  CHECK(copied("cp.async.ca.shared.global [%s], [%g], 8, 0;") == expected(8, [](u32) { return 0u; }));
  CHECK(copied("mov.b32 %n, -1; cp.async.ca.shared.global [%s], [%g], 4, %n;") ==
        expected(4, [](u32) { return 4u; }));
  // The last lane's source has 3 bytes and is followed by nothing; sources of no bytes may be anywhere.
  std::string const ends = "setp.eq.u32 %p, %l, 31; selp.b32 %n, 3, 0, %p; selp.b64 %g, %g, 0, %p; ";
  CHECK(failing(ends + "@%p add.s64 %g, %g, 8; cp.async.ca.shared.global [%s], [%g], 8, %n;").status ==
        Status::success);
  CHECK(failing(ends + "@%p add.s64 %g, %g, 16; cp.async.ca.shared.global [%s], [%g], 8, %n;").status ==
        Status::illegal_address);
}

TEST_CASE("a source that is ignored") {
  CHECK(copied("setp.lt.u32 %p, %l, 7; cp.async.cg.shared.global [%s], [%g], 16, %p;") ==
        expected(16, [](u32 lane) { return lane < 7 ? 0u : 16u; }));
  CHECK(copied("setp.lt.u32 %p, %l, 7; cp.async.ca.shared.global [%s], [%g], 8, !%p;") ==
        expected(8, [](u32 lane) { return lane < 7 ? 16u : 0u; }));
}

TEST_CASE("a copy under a guard") {
  auto values = copied("setp.lt.u32 %p, %l, 7; @%p cp.async.ca.shared.global [%s], [%g], 16;");
  CHECK(values[27] == counting()[27]);
  CHECK(values[28] == 0xffffffff);
  values = copied("setp.lt.u32 %p, %l, 7; @!%p cp.async.ca.shared.global [%s], [%g], 16, %l;");
  CHECK(values[27] == 0xffffffff);
  CHECK(values[28] == counting()[28]);
}

TEST_CASE("both sides of a copy are checked") {
  auto const status = [](std::string const& body) { return failing(body).status; };
  CHECK(status("add.s64 %g, %g, 16; cp.async.cg.shared.global [%s], [%g], 16;") == Status::illegal_address);
  CHECK(status("mov.b64 %g, 0; cp.async.ca.shared.global [%s], [%g], 4;") == Status::illegal_address);
  CHECK(status("add.s64 %g, %g, 8; cp.async.cg.shared.global [%s], [%g], 16;") == Status::misaligned_address);
  CHECK(status("add.s64 %g, %g, 2; cp.async.ca.shared.global [%s], [%g], 4, 1;") ==
        Status::misaligned_address);
  CHECK(status("cp.async.cg.shared.global [%s+512], [%g], 16;") == Status::success);
  CHECK(status("cp.async.cg.shared.global [%s+528], [%g], 16;") == Status::illegal_address);
  CHECK(status("cp.async.cg.shared.global [%s+4], [%g], 16;") == Status::misaligned_address);
  CHECK(status("mov.u32 %n, -16; cp.async.ca.shared.global [%n], [%g], 8, 0;") == Status::illegal_address);
  // An address of shared memory is none of global memory.
  CHECK(status("cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g; cp.async.ca.shared.global [%s], [%g], 4;") ==
        Status::illegal_address);
}

TEST_CASE("lines of the cache are checked, and stay as they are") {
  auto const status = [](std::string const& body) { return failing(body).status; };
  for (auto const* op : {"discard.global.L2", "discard.L2", "applypriority.global.L2::evict_normal"}) {
    std::string const line = fmt::format("ld.param.u64 %z, [in]; {} [%z+384], 128;", op);
    CHECK(status(line) == Status::success);
    CHECK(copied(line + "cp.async.ca.shared.global [%s], [%g], 16;") == counting());
    CHECK(status(fmt::format("ld.param.u64 %z, [in]; {} [%z+512], 128;", op)) == Status::illegal_address);
    CHECK(status(fmt::format("ld.param.u64 %z, [in]; {} [%z+64], 128;", op)) == Status::misaligned_address);
  }
}

TEST_CASE("loads, stores and atomics with a cache policy") {
  CHECK(
      copied("createpolicy.range.global.L2::evict_last.b64 %z, [%g], 128, 256;"
             "ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %v, [%g], %z;"
             "st.shared.b32 [%s], %v; mov.b32 %x, 1; .reg .b64 %t; ld.param.u64 %t, [out];"
             "st.global.L2::cache_hint.b32 [%t], %x, %z; atom.global.add.L2::cache_hint.u32 %v, [%t], %x, %z;"
             "red.global.add.L2::cache_hint.u32 [%t], %x, %z;") == expected(4, [](u32) { return 4u; }));
}

TEST_CASE("shared memory that the system reserves is behind that of the kernel") {
  Fixture fixture(for_sm_80(R"(.visible .entry k(.param .u64 out) { .reg .b32 %r<6>; .reg .b64 %q;
  .shared .align 4 .b8 mem[36]; ld.param.u64 %q, [out];
  mov.u32 %r0, %reserved_smem_offset_1; mov.u32 %r1, %reserved_smem_offset_end; mov.u32 %r2, %reserved_smem_offset_cap;
  mov.u32 %r3, %total_smem_size; mov.b32 %r4, 7; st.shared.b32 [%r0], %r4; st.shared.b32 [%r1-4], %r4;
  ld.shared.b32 %r5, [%r0]; st.shared.b32 [mem], %r5;
  st.global.v4.b32 [%q], {%r0, %r1, %r2, %r3}; ret; })"));
  Address const out = fixture.put(std::vector<u32>(4));
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {out}, 200);
  auto const r = fixture.get<u32>(out, 4);
  CHECK(r[0] % 128 == 0);
  CHECK(r[0] >= r[3]);
  CHECK(r[1] == r[0] + 1024);
  CHECK(r[2] == 1024);
  CHECK(r[3] >= 236);
  CHECK(r[3] < 256);
}
