// SPDX-License-Identifier: Apache-2.0
// Divergence: for every pattern, each thread computes the same as a plain loop on the host.
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace pegasus::software;
using namespace pegasus::software::test;
using u32 = std::uint32_t;

namespace {

// %x: thread index in, result out.
std::string kernel(std::string const& body) {
  return R"(.visible .entry k(.param .u64 out) {
  .reg .b64 %base, %off; .reg .b32 %x, %t, %y, %z, %i, %n; .reg .pred %p, %q;
  mov.u32 %t, %tid.x; mov.u32 %x, %t; mov.u32 %y, 0; mov.u32 %z, 0;
)" + body +
         R"(
  ld.param.u64 %base, [out]; mul.wide.u32 %off, %t, 4; add.s64 %base, %base, %off; st.global.u32 [%base], %x;
  ret; })";
}

void check(std::string const& body, std::function<u32(u32)> const& want, u32 untouched = 0xdead) {
  for (u32 const threads : {1u, 31u, 32u, 33u, 100u}) {
    Fixture fixture(kernel(body));
    Address const out = fixture.put(std::vector<u32>(threads, untouched));
    fixture.run("k", {1, 1, 1}, {threads, 1, 1}, {out});
    auto const got = fixture.get<u32>(out, threads);
    for (u32 t = 0; t < threads; ++t) {
      INFO("thread " << t << " of " << threads);
      REQUIRE(got[t] == want(t));
    }
  }
}

} // namespace

TEST_CASE("if and else") {
  check(R"(
  and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra EVEN;
  add.u32 %x, %x, 100; bra DONE;
EVEN: mul.lo.u32 %x, %x, 3;
DONE:)",
        [](u32 t) { return t % 2 == 0 ? 3 * t : t + 100; });
}

TEST_CASE("nested ifs") {
  check(R"(
  and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra EVEN;
  and.b32 %y, %t, 2; setp.eq.u32 %p, %y, 0; @%p bra ODD1;
  add.u32 %x, %x, 30; bra ODD_DONE;
ODD1: add.u32 %x, %x, 10;
ODD_DONE: add.u32 %x, %x, 1000; bra DONE;
EVEN: and.b32 %y, %t, 4; setp.ne.u32 %p, %y, 0; @%p add.u32 %x, %x, 7;
DONE: add.u32 %x, %x, 1;)",
        [](u32 t) {
          if (t % 2 == 0) return t + ((t & 4) != 0 ? 7 : 0) + 1;
          return t + ((t & 2) == 0 ? 10 : 30) + 1000 + 1;
        });
}

TEST_CASE("loops of different lengths, with break and continue") {
  check(R"(
  mov.u32 %i, 0; mov.u32 %x, 0;
LOOP: setp.ge.u32 %p, %i, %t; @%p bra DONE;
  add.u32 %i, %i, 1;
  rem.u32 %y, %i, 3; setp.eq.u32 %p, %y, 0; @%p bra LOOP;
  add.u32 %x, %x, %i;
  setp.gt.u32 %p, %x, 300; @%p bra DONE;
  bra LOOP;
DONE:)",
        [](u32 t) {
          u32 x = 0;
          for (u32 i = 0; i < t;) {
            ++i;
            if (i % 3 == 0) continue;
            x += i;
            if (x > 300) break;
          }
          return x;
        });
}

TEST_CASE("a loop in a loop, each thread its own") {
  check(R"(
  mov.u32 %i, 0; mov.u32 %x, 0;
OUTER: and.b32 %n, %t, 7; add.u32 %n, %n, %i; mov.u32 %y, 0;
INNER: setp.ge.u32 %p, %y, %n; @%p bra INNER_DONE;
  add.u32 %x, %x, %y; add.u32 %y, %y, 1; bra INNER;
INNER_DONE: add.u32 %i, %i, 1; and.b32 %z, %t, 3; setp.le.u32 %p, %i, %z; @%p bra OUTER;)",
        [](u32 t) {
          u32 x = 0;
          for (u32 i = 0; i <= t % 4; ++i)
            for (u32 y = 0; y < t % 8 + i; ++y)
              x += y;
          return x;
        });
}

TEST_CASE("some lanes return early, at several places") {
  check(R"(
  setp.lt.u32 %p, %t, 3; @%p bra OUT;
  and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra EVEN;
  setp.eq.u32 %p, %t, 17; @%p ret;
  add.u32 %x, %x, 5; bra STORE;
EVEN: setp.eq.u32 %p, %t, 20; @%p exit; add.u32 %x, %x, 6;
  bra STORE;
OUT: ret;
STORE:)",
        [](u32 t) { return t < 3 || t == 17 || t == 20 ? 0xdead
                           : t % 2 == 0                ? t + 6
                                                       : t + 5; });
}

TEST_CASE("switch by a table of labels") {
  check(R"(
  and.b32 %y, %t, 3;
  LIST: .branchtargets A, B, C, B;
  brx.idx %y, LIST;
A: add.u32 %x, %x, 1; bra DONE;
B: add.u32 %x, %x, 20;
C: add.u32 %x, %x, 300;
DONE:)",
        [](u32 t) { return t % 4 == 0   ? t + 1
                           : t % 4 == 2 ? t + 300
                                        : t + 320; });
}

TEST_CASE("a program of which only the branches are many is refused") {
  std::string list, labels, jumps;
  for (int i = 0; i < 20'000; ++i) {
    list += (i == 0 ? "L" : ", L") + std::to_string(i);
    labels += "L" + std::to_string(i) + ": add.u32 %x, %x, 1;\n";
    if (i % 3 == 0) jumps += "brx.idx %x, LIST;\n"; // 133 million paths in total
  }
  std::string const kernel =
      ".visible .entry k() { .reg .b32 %x; LIST: .branchtargets " + list + ";\n" + jumps + labels + "ret; }";
  CHECK_THAT(Fixture::build_error({kernel}, "k"), Catch::Contains("brx.idx"));
}

// Two loops with jumps into each other's body: no single header.
TEST_CASE("an irreducible graph") {
  check(R"(
  mov.u32 %i, 0; and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra B;
A: add.u32 %x, %x, 1; add.u32 %i, %i, 1; setp.ge.u32 %p, %i, %t; @%p bra DONE;
B: add.u32 %x, %x, 10; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %t; @%p bra A;
DONE:)",
        [](u32 t) {
          u32 x = t, i = 0;
          bool in_a = t % 2 != 0;
          for (;;) {
            x += in_a ? 1 : 10;
            if (++i >= t) return x;
            in_a = !in_a;
          }
        });
}

// All lanes of a warp take the lock in turn: the lane that holds it must run while the others spin.
TEST_CASE("a spin lock among the lanes of a warp makes progress") {
  Fixture fixture(R"(
.global .u32 lock; .global .u32 count;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .pred %p; .reg .b64 %rd;
SPIN: atom.global.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p, %r1, 0; @%p bra SPIN;
  ld.global.u32 %r2, [count]; add.u32 %r2, %r2, 1; st.global.u32 [count], %r2;
  membar.gl; atom.global.exch.b32 %r3, [lock], 0;
  ld.param.u64 %rd, [out]; ld.global.u32 %r2, [count]; st.global.u32 [%rd], %r2;
  ret; })");
  Address const out = fixture.put(std::vector<u32>(1));
  fixture.run("k", {2, 1, 1}, {64, 1, 1}, {out});
  pegasus::device::Range const count = fixture.program->global("count");
  REQUIRE(fixture.get<u32>(count.base, 1)[0] == 128);
}

TEST_CASE("a warp waits for a flag that another warp of its block sets, and a block for a later block") {
  Fixture fixture(R"(
.global .u32 flag; .global .u32 turn;
.visible .entry warps() {
  .reg .b32 %r<9>; .reg .pred %p;
  mov.u32 %r1, %tid.x; setp.ge.u32 %p, %r1, 32; @%p bra SET;
WAIT: ld.volatile.global.u32 %r2, [flag]; setp.eq.u32 %p, %r2, 0; @%p bra WAIT;
  ret;
SET: st.volatile.global.u32 [flag], 1; ret; }
.visible .entry blocks() {
  .reg .b32 %r<9>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r3, %nctaid.x; sub.u32 %r3, %r3, 1; sub.u32 %r3, %r3, %r1;
WAIT: ld.volatile.global.u32 %r2, [turn]; nanosleep.u32 100; setp.ne.u32 %p, %r2, %r3; @%p bra WAIT;
  add.u32 %r2, %r2, 1; st.volatile.global.u32 [turn], %r2; ret; })");
  fixture.run("warps", {1, 1, 1}, {64, 1, 1}, {});
  fixture.run("blocks", {5, 1, 1}, {1, 1, 1}, {});
  REQUIRE(fixture.get<u32>(fixture.program->global("turn").base, 1)[0] == 5);
}

TEST_CASE("thread and block indices of every dimension") {
  Fixture fixture(R"(.visible .entry k(.param .u64 out) {
  .reg .b32 %r<40>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
  mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
  mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %laneid;
  mad.lo.u32 %r20, %r3, %r5, %r2; mad.lo.u32 %r20, %r20, %r4, %r1;
  mad.lo.u32 %r21, %r9, %r11, %r8; mad.lo.u32 %r21, %r21, %r10, %r7;
  mul.lo.u32 %r22, %r4, %r5; mul.lo.u32 %r22, %r22, %r6; mad.lo.u32 %r23, %r21, %r22, %r20;
  shl.b32 %r24, %r21, 16; or.b32 %r24, %r24, %r20; shl.b32 %r25, %r12, 26; or.b32 %r24, %r24, %r25;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r23, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r24; ret; })");
  Address const out = fixture.put(std::vector<u32>(3 * 2 * 2 * 5 * 3 * 4));
  fixture.run("k", {3, 2, 2}, {5, 3, 4}, {out});
  auto const got = fixture.get<u32>(out, 3 * 2 * 2 * 60);
  for (u32 block = 0; block < 12; ++block)
    for (u32 t = 0; t < 60; ++t)
      REQUIRE(got[block * 60 + t] == (block << 16 | t | (t % 32) << 26));
}

TEST_CASE("indices of 16 bits, as programs for PTX before 2.0 read them") {
  Fixture fixture(R"(.visible .entry k(.param .u64 out) {
  .reg .b16 %h<5>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
  mov.u16 %h1, %tid.x; mov.u16 %h2, %ntid.x; mov.u16 %h3, %ctaid.x; mov.u16 %h4, %nctaid.x;
  mul.wide.u16 %r1, %h3, %h2; cvt.u32.u16 %r2, %h1; add.u32 %r1, %r1, %r2; cvt.u32.u16 %r3, %h4;
  shl.b32 %r3, %r3, 16; or.b32 %r3, %r3, %r1;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r3; ret; })");
  Address const out = fixture.put(std::vector<u32>(3 * 40));
  fixture.run("k", {3, 1, 1}, {40, 1, 1}, {out});
  auto const got = fixture.get<u32>(out, 3 * 40);
  for (u32 t = 0; t < 3 * 40; ++t)
    REQUIRE(got[t] == (3u << 16 | t));
}
