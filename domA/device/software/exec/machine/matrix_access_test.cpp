// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store: where they reach, and what ends the kernel.
#include "domA/device/software/exec/machine/memory_access.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;

namespace {

// %p is the address of 1,024 bytes that are aligned to 256.
std::string moving(std::string const& body) {
  return ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %r<64>, %s; .reg .b64 %p, %q;"
         " .shared .align 32 .b8 mem[2048];"
         " ld.param.u64 %p, [in]; ld.param.u64 %q, [out];\n" +
         body + " ret; }";
}

std::vector<u32> counting(u32 n) {
  std::vector<u32> values(n);
  for (u32 i = 0; i < n; ++i)
    values[i] = i;
  return values;
}

Outcome failing(std::string const& body) {
  Fixture fixture(moving(body));
  Address const in = fixture.put(counting(256));
  return fixture.launch("k", {1, 1, 1}, {32, 1, 1}, {in, in});
}

constexpr char const* load_a =
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, ";
constexpr char const* load_turned =
    "wmma.load.a.sync.aligned.col.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, ";
constexpr char const* store_d = "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 ";
constexpr char const* accumulator = ", {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}";

} // namespace

TEST_CASE("through shared memory") {
  std::string const registers = "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}";
  Fixture fixture(moving("wmma.load.c.sync.aligned.row.m8n32k16.global.f32 " + registers + ", [%p];" +
                         "wmma.store.d.sync.aligned.col.m8n32k16.shared.f32 [mem+32], " + registers +
                         ", 12;" + "mov.u32 %s, mem; wmma.load.c.sync.aligned.col.m8n32k16.shared.f32 " +
                         registers + ", [%s+32], 12; wmma.store.d.sync.aligned.row.m8n32k16.f32 [%q], " +
                         registers + ";"));
  Address const out = fixture.put(std::vector<u32>(256));
  fixture.run("k", {1, 1, 1}, {32, 1, 1}, {fixture.put(counting(256)), out});
  REQUIRE(fixture.get<u32>(out, 256) == counting(256));
}

TEST_CASE("each access of a matrix is checked") {
  std::string const load = load_a, turned = load_turned, store = store_d, registers = accumulator;
  auto const illegal = [](std::string const& body) {
    return failing(body).status == Status::illegal_address;
  };
  auto const misaligned = [](std::string const& body) {
    return failing(body).status == Status::misaligned_address;
  };
  REQUIRE(failing(load + "[%p], 32;").status == Status::success);
  REQUIRE(illegal(load + "[%p], 40;"));
  REQUIRE(illegal(load + "[%p+36], 32;"));
  REQUIRE(illegal(load + "[%p-4];"));
  REQUIRE(illegal(load + "[%p], -2;"));
  REQUIRE(illegal("mov.u64 %p, -64; " + load + "[%p], 4096;"));
  REQUIRE(illegal(turned + "[%p], 0x7ffffff0;"));
  REQUIRE(misaligned(load + "[%p+2];"));
  REQUIRE(misaligned(load + "[%p], 17;"));
  REQUIRE(failing(turned + "[%p+2], 17;").status == Status::success); // single halves
  REQUIRE(misaligned(turned + "[%p+1];"));
  REQUIRE(failing(store + "[%p]" + registers + ";").status == Status::success);
  REQUIRE(illegal(store + "[%p]" + registers + ", 17;"));
  REQUIRE(illegal(store + "[%p+4]" + registers + ";"));
  REQUIRE(misaligned(store + "[%p+2]" + registers + ";"));
  REQUIRE(illegal("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [mem+1028]" + registers + ";"));
  REQUIRE(failing("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [mem+1024]" + registers + ";").status ==
          Status::success);
  REQUIRE(
      illegal("mov.u32 %s, -32; wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s]" + registers + ";"));
  REQUIRE(
      illegal("cvta.param.u64 %p, in; wmma.store.d.sync.aligned.row.m16n16k16.f32 [%p]" + registers + ";"));
}
