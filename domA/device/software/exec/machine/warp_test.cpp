// SPDX-License-Identifier: Apache-2.0
// Barriers, exchanges and atomics.
#include "domA/device/software/exec/machine/exchange.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;
using namespace pegasus::software::test;
using u32 = std::uint32_t;
using pegasus::device::Status;

namespace {

// Each thread stores %x at the end; %t is its index.
std::string kernel(std::string const& body, std::string const& globals = {}) {
  return globals + R"(.visible .entry k(.param .u64 out) {
  .reg .b64 %base, %off, %rd<9>; .reg .b32 %x, %t, %y, %z, %i; .reg .pred %p, %q; .shared .align 8 .b8 mem[4096];
  mov.u32 %t, %tid.x; mov.u32 %x, %t; mov.u32 %y, 0;
)" + body +
         R"(
  ld.param.u64 %base, [out]; mul.wide.u32 %off, %t, 4; add.s64 %base, %base, %off; st.global.u32 [%base], %x;
  ret; })";
}

std::vector<u32> results(std::string const& body, u32 threads, std::string const& globals = {}) {
  Fixture fixture(kernel(body, globals));
  Address const out = fixture.put(std::vector<u32>(threads, 0xdead));
  fixture.run("k", {1, 1, 1}, {threads, 1, 1}, {out});
  return fixture.get<u32>(out, threads);
}

Outcome failing(std::string const& body, u32 threads) {
  Fixture fixture(kernel(body));
  Address const out = fixture.put(std::vector<u32>(threads));
  return fixture.launch("k", {1, 1, 1}, {threads, 1, 1}, {out});
}

constexpr char const* exchange_through_shared = R"(
  mov.u32 %z, mem; shl.b32 %y, %t, 2; add.u32 %z, %z, %y; st.shared.u32 [%z], %t;
  bar.sync 0;
  mov.u32 %y, %ntid.x; sub.u32 %y, %y, 1; sub.u32 %y, %y, %t; shl.b32 %y, %y, 2; mov.u32 %z, mem; add.u32 %z, %z, %y;
  ld.shared.u32 %x, [%z];)";

} // namespace

TEST_CASE("bar.sync makes every thread's shared stores visible") {
  for (u32 const threads : {1u, 32u, 33u, 256u, 1000u}) {
    auto const x = results(exchange_through_shared, threads);
    for (u32 t = 0; t < threads; ++t)
      REQUIRE(x[t] == threads - 1 - t);
  }
}

TEST_CASE("threads that have exited do not hold up a barrier") {
  auto const x = results(std::string("setp.ge.u32 %p, %t, 40; @%p exit;") + exchange_through_shared, 100);
  REQUIRE(x[50] == 0xdead);
}

TEST_CASE("a barrier reached by the lanes of a warp at different places") {
  auto const x = results(R"(
  and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra EVEN;
  st.shared.u32 [mem], 7; barrier.sync 0; ld.shared.u32 %x, [mem+4]; bra DONE;
EVEN: st.shared.u32 [mem+4], 9; barrier.sync 0; ld.shared.u32 %x, [mem];
DONE: add.u32 %x, %x, %t;)",
                         64);
  for (u32 t = 0; t < 64; ++t)
    REQUIRE(x[t] == (t % 2 == 0 ? 7 : 9) + t);
}

TEST_CASE("named barriers with counts: producers arrive, consumers wait") {
  auto const x = results(R"(
  setp.ge.u32 %p, %t, 32; @%p bra CONSUMER;
  st.shared.u32 [mem], 42; bar.arrive 1, 64; bra DONE;
CONSUMER: bar.sync 1, 64; ld.shared.u32 %x, [mem];
DONE:)",
                         64);
  for (u32 t = 32; t < 64; ++t)
    REQUIRE(x[t] == 42);
}

TEST_CASE("barriers that reduce") {
  auto const x = results(R"(
  setp.lt.u32 %p, %t, 40; bar.red.popc.u32 %x, 0, %p;
  bar.red.and.pred %q, 0, %p; selp.u32 %y, 1000, 0, %q; add.u32 %x, %x, %y;
  bar.red.or.pred %q, 0, !%p; selp.u32 %y, 10000, 0, %q; add.u32 %x, %x, %y;)",
                         50);
  for (u32 const v : x)
    REQUIRE(v == 10040);
}

TEST_CASE("a barrier that can never complete is reported, and the executor goes on") {
  // 32 threads wait at barrier 0, the other warp at barrier 1.
  Outcome const outcome =
      failing("setp.ge.u32 %p, %t, 32; @%p bra B; bar.sync 0; bra DONE; B: bar.sync 1; DONE:", 64);
  REQUIRE(outcome.status == Status::launch_failed);
  REQUIRE(outcome.diagnostic.find("deadlock") != std::string::npos);
  REQUIRE(failing("bar.sync 0, 96;", 64).status == Status::launch_failed);
  REQUIRE(failing("bar.sync 0, 33;", 64).status == Status::illegal_instruction);
  REQUIRE(failing("setp.eq.u32 %p, %t, 0; @%p bra OTHER; bar.warp.sync 0xffffffff; bra DONE; OTHER: bar.sync "
                  "0; DONE:",
                  32)
              .status == Status::launch_failed);
}

TEST_CASE("shuffles, all four modes") {
  auto const shuffle = [](std::string const& code) { return results(code, 32); };
  auto up = shuffle("shfl.sync.up.b32 %x|%p, %t, 3, 0, 0xffffffff; @!%p add.u32 %x, %x, 100;");
  auto down = shuffle("shfl.sync.down.b32 %x|%p, %t, 3, 31, 0xffffffff; @!%p add.u32 %x, %x, 100;");
  auto bfly = shuffle("shfl.sync.bfly.b32 %x, %t, 5, 31, 0xffffffff;");
  auto idx = shuffle("shfl.sync.idx.b32 %x, %t, 7, 31, 0xffffffff;");
  auto segment = shuffle("shfl.sync.down.b32 %x|%p, %t, 1, 0x1807, 0xffffffff; @!%p add.u32 %x, %x, 100;");
  for (u32 t = 0; t < 32; ++t) {
    CHECK(up[t] == (t >= 3 ? t - 3 : t + 100));
    CHECK(down[t] == (t < 29 ? t + 3 : t + 100));
    CHECK(bfly[t] == (t ^ 5));
    CHECK(idx[t] == 7);
    CHECK(segment[t] == (t % 8 != 7 ? t + 1 : t + 100)); // segments of 8: mask 0x18, clamp 7
  }
}

// PTX leaves it undefined. NVIDIA's GPUs give 0, and reductions whose last step uses eight lanes rely on it.
TEST_CASE("shfl from a lane that does not take part gives 0") {
  std::string const eight = "add.u32 %y, %t, 100; setp.ge.u32 %p, %t, 8; @%p bra DONE;"
                            "shfl.sync.down.b32 %x, %y, 4, 31, MEMBERS; DONE:";
  for (char const* const members : {"0x000000ff", "0xffffffff"}) { // the second also names exited lanes
    std::string body = eight;
    body.replace(body.find("MEMBERS"), 7, members);
    if (members == std::string("0xffffffff")) body.replace(body.find("bra DONE"), 8, "exit");
    auto const x = results(body, 32);
    for (u32 t = 0; t < 8; ++t)
      REQUIRE(x[t] == (t < 4 ? t + 104 : 0));
  }
  auto const apart = results(R"(
  add.u32 %y, %t, 100; setp.ge.u32 %p, %t, 8; @%p bra DONE; setp.ge.u32 %p, %t, 6; @%p bra HIGH;
  shfl.sync.down.b32 %x, %y, 4, 31, 0xff; bra DONE;
HIGH: shfl.sync.down.b32 %x, %y, 4, 31, 0xff;
DONE:)",
                             32);
  for (u32 t = 0; t < 8; ++t)
    REQUIRE(apart[t] == (t < 4 ? t + 104 : 0));
}

TEST_CASE("a shuffle among some lanes, while the others do something else") {
  auto const x = results(R"(
  setp.lt.u32 %p, %t, 16; @%p bra LOW;
  shfl.sync.bfly.b32 %x, %t, 1, 31, 0xffff0000; bra DONE;
LOW: shfl.sync.idx.b32 %x, %t, 15, 31, 0x0000ffff; add.u32 %x, %x, 50;
DONE:)",
                         32);
  for (u32 t = 0; t < 32; ++t)
    REQUIRE(x[t] == (t < 16 ? 65 : (t ^ 1)));
}

TEST_CASE("a shuffle of the whole warp, reached on two ways") {
  auto const x = results(R"(
  and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra EVEN;
  add.u32 %z, %t, 1000; shfl.sync.bfly.b32 %x, %z, 1, 31, 0xffffffff; bra DONE;
EVEN: shfl.sync.bfly.b32 %x, %t, 1, 31, 0xffffffff;
DONE:)",
                         32);
  for (u32 t = 0; t < 32; ++t)
    REQUIRE(x[t] == (t % 2 == 0 ? t + 1 + 1000 : t - 1));
}

TEST_CASE("votes, matches and masks") {
  auto const value = [](std::string const& code, u32 threads = 32) { return results(code, threads); };
  CHECK(value("setp.lt.u32 %p, %t, 5; vote.sync.ballot.b32 %x, %p, 0xffffffff;")[9] == 0x1f);
  CHECK(value("setp.lt.u32 %p, %t, 5; vote.sync.ballot.b32 %x, !%p, 0xffffffff;")[9] == 0xffffffe0);
  CHECK(value("setp.lt.u32 %p, %t, 5; vote.sync.any.pred %q, %p, 0xffffffff; selp.u32 %x, 1, 0, %q;")[9] ==
        1);
  CHECK(value("setp.lt.u32 %p, %t, 5; vote.sync.all.pred %q, %p, 0xffffffff; selp.u32 %x, 1, 0, %q;")[9] ==
        0);
  CHECK(value("setp.lt.u32 %p, %t, 5; vote.sync.all.pred %q, %p, 0xffffffff; selp.u32 %x, 1, 0, %q;", 4)[3] ==
        1);
  CHECK(value("setp.lt.u32 %p, %t, 5; vote.sync.uni.pred %q, %p, 0xffffffff; selp.u32 %x, 1, 0, %q;")[9] ==
        0);
  CHECK(value("and.b32 %y, %t, 3; match.any.sync.b32 %x, %y, 0xffffffff;")[5] == 0x22222222);
  CHECK(value("mov.b64 %rd1, 7; match.all.sync.b64 %x|%p, %rd1, 0xffffffff;")[5] == 0xffffffff);
  CHECK(value("match.all.sync.b32 %x|%p, %t, 0xffffffff; selp.u32 %x, 99, %x, %p;")[5] == 0);
  CHECK(value("activemask.b32 %x;", 5)[4] == 0x1f);
  CHECK(value("setp.lt.u32 %p, %t, 5; @%p bra A; bra B; A: activemask.b32 %x; B:")[4] == 0x1f);
  CHECK(value("mov.u32 %x, %lanemask_lt;")[4] == 0xf);
  CHECK(value("mov.u32 %x, %lanemask_ge;")[31] == 0x80000000);
  CHECK(value("redux.sync.add.u32 %x, %t, 0xffffffff;")[3] == 496);
  CHECK(value("neg.s32 %y, %t; redux.sync.min.s32 %x, %y, 0xffffffff;")[3] == static_cast<u32>(-31));
}

TEST_CASE("atomics give the old value and leave the new one") {
  struct Row {
    std::string code; // on the cell at [%rd1], operand %t
    std::string type;
    std::uint64_t before, after;
  };
  Row const rows[] = {
      {"atom.global.add.u32 %x, [%rd1], %t;", "u32", 5, 501},
      {"red.global.add.s32 [%rd1], %t;", "u32", 5, 501},
      {"atom.add.u32 %x, [%rd1], 1;", "u32", 0xfffffff0, 16},
      {"atom.global.min.s32 %x, [%rd1], %t;", "u32", 7, 0},
      {"atom.global.min.u32 %x, [%rd1], %t;", "u32", 0xffffffff, 0},
      {"atom.global.max.s32 %x, [%rd1], %t;", "u32", 0xffffffff, 31},
      {"atom.global.max.u32 %x, [%rd1], %t;", "u32", 0xffffffff, 0xffffffff},
      {"atom.global.inc.u32 %x, [%rd1], 9;", "u32", 0, 2},
      {"atom.global.dec.u32 %x, [%rd1], 9;", "u32", 5, 3},
      {"atom.global.and.b32 %x, [%rd1], %t;", "u32", 0xff, 0},
      {"atom.global.or.b32 %x, [%rd1], %t;", "u32", 0x100, 0x11f},
      {"atom.global.xor.b32 %x, [%rd1], 1;", "u32", 0x100, 0x100},
      {"atom.global.exch.b32 %x, [%rd1], %t;", "u32", 3, 31},
      {"atom.global.cas.b32 %x, [%rd1], %t, 77;", "u32", 4, 77},
      {"cvt.u64.u32 %rd2, %t; atom.global.add.u64 %rd3, [%rd1], %rd2;", "u64", 0xffffffff,
       0xffffffffull + 496},
      {"cvt.u64.u32 %rd2, %t; atom.global.max.s64 %rd3, [%rd1], %rd2;", "u64", ~std::uint64_t{0}, 31},
      {"atom.global.cas.b64 %rd3, [%rd1], 4, 78;", "u64", 4, 78},
      {"atom.global.exch.b64 %rd3, [%rd1], 5;", "u64", 4, 5},
      {".reg .f32 %f; cvt.rn.f32.u32 %f, %t; atom.global.add.f32 %f, [%rd1], %f;", "u32", bits(0.5f),
       bits(496.5f)},
      {".reg .f64 %f; cvt.rn.f64.u32 %f, %t; atom.global.add.f64 %f, [%rd1], %f;", "u64", bits(0.5),
       bits(496.5)},
      {"atom.global.add.noftz.f16x2 %x, [%rd1], 0x3c004000;", "u32", 0, 0x50005400},
      {"atom.add.release.gpu.u32 %x, [%rd1], 1;", "u32", 0, 32},
      {"atom.global.sys.add.u32 %x, [%rd1], 1;", "u32", 0, 32},
  };
  for (Row const& row : rows) {
    INFO(row.code);
    Fixture fixture(R"(.visible .entry k(.param .u64 cell) { .reg .b64 %rd<9>; .reg .b32 %x, %t;
      ld.param.u64 %rd1, [cell]; mov.u32 %t, %tid.x; )" +
                    row.code + " ret; }");
    Address const cell = fixture.put(std::vector<std::uint64_t>{row.before});
    fixture.run("k", {1, 1, 1}, {32, 1, 1}, {cell});
    CHECK(fixture.get<std::uint64_t>(cell, 1)[0] == row.after);
  }
  auto const old =
      results("atom.shared.add.u32 %y, [mem], 0; bar.sync 0; mov.u32 %z, 0; setp.eq.u32 %p, %t, 0; @%p "
              "st.shared.u32 [mem], 10; bar.sync 0; atom.shared.add.u32 %x, [mem], 2;",
              64);
  std::vector<bool> seen(64);
  for (u32 const v : old) {
    REQUIRE((v >= 10 && v < 138 && v % 2 == 0));
    REQUIRE(!seen[(v - 10) / 2]); // each thread got a different value
    seen[(v - 10) / 2] = true;
  }
}

// As in the decoupled look-back of scans: a warp-wide histogram in which every lane hits few cells.
TEST_CASE("many threads of many blocks count into few cells") {
  Fixture fixture(R"(.visible .entry k(.param .u64 cells) { .reg .b64 %rd<9>; .reg .b32 %x, %t;
    ld.param.u64 %rd1, [cells]; mov.u32 %t, %tid.x; and.b32 %t, %t, 3; mul.wide.u32 %rd2, %t, 4;
    add.s64 %rd1, %rd1, %rd2; red.global.add.u32 [%rd1], 1; ret; })");
  Address const cells = fixture.put(std::vector<u32>(4));
  fixture.run("k", {100, 1, 1}, {200, 1, 1}, {cells});
  for (u32 const v : fixture.get<u32>(cells, 4))
    REQUIRE(v == 5000);
}

// Both functions are behind the same exchange at the same depth. Each is once short and once so long that the
// host stores its code elsewhere: the place must not matter.
TEST_CASE("which of two functions goes on first does not depend on where their code lies") {
  auto const first_ticket_of_f = [](int f_length, int g_length) {
    auto const function = [](std::string const& name, int length) {
      std::string text = ".func (.reg .u32 %t) " + name + "(.reg .u64 %a) { .reg .u32 %x; mov.u32 %x, 0;\n" +
                         "bar.warp.sync -1; atom.global.add.u32 %t, [%a], 1;\n";
      for (int i = 0; i < length; ++i)
        text += "add.u32 %x, %x, 1;\n";
      return text + "ret; }\n";
    };
    Fixture fixture(function("f", f_length) + function("g", g_length) +
                    R"(.visible .entry k(.param .u64 p) { .reg .u64 %p, %o; .reg .u32 %i, %t; .reg .pred %c;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; and.b32 %t, %i, 1; setp.eq.u32 %c, %t, 0; mul.wide.u32 %o, %i, 4;
  add.u64 %o, %o, %p; @%c bra F; call (%t), g, (%p); bra D; F: call (%t), f, (%p); D: st.global.u32 [%o+4], %t; ret; })");
    Address const p = fixture.put(std::vector<std::uint32_t>(33));
    fixture.run("k", {1, 1, 1}, {32, 1, 1}, {p});
    return fixture.get<std::uint32_t>(p, 2)[1];
  };
  CHECK(first_ticket_of_f(20'000, 1) == first_ticket_of_f(1, 20'000));
}
