// SPDX-License-Identifier: Apache-2.0
// Device functions, linking, and the functions that the driver provides.
#include "domA/device/software/exec/compile/link.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;

namespace {

constexpr char const* square = R"(
.visible .func (.param .b32 ret) square(.param .b32 x) { .reg .b32 %r<4>;
  ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [ret+0], %r2; ret; }
)";

std::string calling(std::string const& callee, std::string const& more = {}) {
  return more + R"(.visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  { .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0; call.uni (r0), )" +
         callee + R"(, (p0); ld.param.b32 %r2, [r0+0]; }
  st.global.u32 [%rd1], %r2; ret; })";
}

std::vector<u32> results(std::vector<std::string> const& units, u32 threads = 40) {
  Fixture fixture(units);
  Address const out = fixture.put(std::vector<u32>(threads, 0xdead));
  fixture.run("k", {1, 1, 1}, {threads, 1, 1}, {out});
  return fixture.get<u32>(out, threads);
}

} // namespace

TEST_CASE("calls within a unit and across units") {
  auto const one = results({calling("square", square)});
  auto const two =
      results({calling("square", ".extern .func (.param .b32 ret) square(.param .b32 x);"), square});
  for (u32 t = 0; t < 40; ++t) {
    CHECK(one[t] == t * t);
    CHECK(two[t] == t * t);
  }
}

TEST_CASE("a parameter without a name has its place all the same") {
  Fixture fixture(R"(
.func (.reg .u32 out) f(.reg .b64 _, .reg .u32 in, .reg .b16 _, .reg .u32 more) { add.u32 out, in, more; ret; }
.visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  mov.u64 %rd3, 0xdead; mov.u16 %h, 7; mov.u32 %r3, 1000;
  call (%r2), f, (%rd3, %r1, %h, %r3); st.global.u32 [%rd1], %r2; ret; })");
  Address const out = fixture.put(std::vector<u32>(64, 0xdead));
  fixture.run("k", {1, 1, 1}, {64, 1, 1}, {out});
  auto const got = fixture.get<u32>(out, 64);
  for (u32 t = 0; t < 64; ++t)
    CHECK(got[t] == t + 1000);
}

TEST_CASE("more nameless parameters than a function has registers") {
  Fixture fixture(R"(
.func f(.reg .b64 _, .reg .b64 _, .reg .b64 _, .reg .b64 _) { ret; }
.visible .entry k() { call f, (0d4141414141414141, 0d4141414141414141, 0d4141414141414141, 0d4141414141414141); ret; })");
  fixture.run("k", {1, 1, 1}, {1024, 1, 1}, {});
}

TEST_CASE("a register that no instruction takes is refused, and so is a predicate for a parameter") {
  CHECK_THAT(Fixture::build_error({R"(
.func (.param .align 8 .b8 out[16]) f(.param .align 8 .b8 p[16]) { ret; }
.visible .entry k() { .reg .b128 %q; call (%q), f, (%q); ret; })"},
                                  "k"),
             Catch::Contains("b128"));
  CHECK_THAT(
      Fixture::build_error({".func f(.reg .b128 p) { ret; } .visible .entry k() { call f, (1); ret; }"}, "k"),
      Catch::Contains("b128"));
  CHECK_THAT(Fixture::build_error({R"(
.func f(.param .b8 p) { ret; }
.visible .entry k() { .reg .pred %p; call f, (%p); ret; })"},
                                  "k"),
             Catch::Contains("operand of a call"));
}

TEST_CASE("linking: the strong definition wins, static names stay apart, twice is an error") {
  std::string const weak =
      R"(.weak .func (.param .b32 ret) f(.param .b32 x) { st.param.b32 [ret], 1; ret; })";
  std::string const strong =
      R"(.visible .func (.param .b32 ret) f(.param .b32 x) { st.param.b32 [ret], 2; ret; })";
  std::string const own = R"(.func (.param .b32 ret) f(.param .b32 x) { st.param.b32 [ret], 3; ret; })";
  std::string const declared = ".extern .func (.param .b32 ret) f(.param .b32 x);";
  CHECK(results({calling("f", declared), weak, strong})[0] == 2);
  CHECK(results({calling("f", declared), strong, weak})[0] == 2);
  CHECK(results({calling("f", weak), weak})[0] == 1);
  CHECK(results({calling("f", own), strong})[0] == 3);
  CHECK_THAT(Fixture::build_error({strong, strong}),
             Catch::Contains("'f' is defined by unit 1 and by unit 2"));
  CHECK_THAT(Fixture::build_error({calling("f", declared)}, "k"),
             Catch::Contains("no unit defines the function 'f'"));
  CHECK_THAT(Fixture::build_error({".visible .global .u32 v;", ".visible .global .u32 v;"}),
             Catch::Contains("'v'"));
  CHECK_THAT(
      Fixture::build_error(
          {".extern .global .u32 v; .visible .entry k() { .reg .b32 %r; ld.global.u32 %r, [v]; ret; }"}, "k"),
      Catch::Contains("no unit defines the variable 'v'"));
  Fixture shared(std::vector<std::string>{
      ".visible .global .u32 v = 7;",
      ".extern .global .u32 v; .visible .entry k(.param .u64 out) { .reg .b64 %rd; .reg .b32 %r; "
      "ld.param.u64 %rd, [out]; ld.global.u32 %r, [v]; st.global.u32 [%rd], %r; ret; }"});
  Address const out = shared.put(std::vector<u32>(1));
  shared.run("k", {1, 1, 1}, {1, 1, 1}, {out});
  CHECK(shared.get<u32>(out, 1)[0] == 7);
  CHECK(shared.program->global("v").bytes == 4);
}

TEST_CASE("recursion, with lanes that go to different depths") {
  auto const x = results({calling("fib", R"(
.visible .func (.param .b32 ret) fib(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u32 %r1, [n]; and.b32 %r1, %r1, 15; setp.lt.u32 %p, %r1, 2; @%p bra SMALL;
  { .param .b32 a; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; .param .b32 b; call (b), fib, (a); ld.param.b32 %r3, [b]; }
  { .param .b32 a; sub.u32 %r2, %r1, 2; st.param.b32 [a], %r2; .param .b32 b; call (b), fib, (a); ld.param.b32 %r4, [b]; }
  add.u32 %r1, %r3, %r4;
SMALL: st.param.b32 [ret], %r1; ret; })")});
  u32 const fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  for (u32 t = 0; t < 40; ++t)
    CHECK(x[t] == fib[t % 16]);
}

TEST_CASE("endless recursion is a fault, not a crash") {
  Fixture fixture(calling("f", R"(.visible .func (.param .b32 ret) f(.param .b32 n) { .reg .b32 %r<9>;
  { .param .b32 a; st.param.b32 [a], 1; .param .b32 b; call (b), f, (a); ld.param.b32 %r3, [b]; }
  st.param.b32 [ret], %r3; ret; })"));
  Address const out = fixture.put(std::vector<u32>(64));
  Outcome const outcome = fixture.launch("k", {1, 1, 1}, {64, 1, 1}, {out});
  CHECK(outcome.status == Status::launch_failed);
  CHECK_THAT(outcome.diagnostic, Catch::Contains("stack overflow"));
}

TEST_CASE("calls through tables of functions, each lane its own") {
  auto const f = [](std::string const& name, u32 add) {
    return ".func (.param .b32 ret) " + name +
           "(.param .b32 x) { .reg .b32 %r<4>; ld.param.u32 %r1, [x]; add.u32 %r1, "
           "%r1, " +
           std::to_string(add) + "; st.param.b32 [ret], %r1; ret; }\n";
  };
  auto const x = results({f("f0", 100) + f("f1", 200) + f("f2", 300) + R"(
.global .align 8 .u64 table[3] = {f0, f1, f2};
.visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  rem.u32 %r3, %r1, 3; mul.wide.u32 %rd3, %r3, 8; mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];
  { .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0;
    prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r0), %rd5, (p0), prototype_0; ld.param.b32 %r2, [r0+0]; }
  st.global.u32 [%rd1], %r2; ret; })"});
  for (u32 t = 0; t < 40; ++t)
    CHECK(x[t] == t + 100 * (t % 3 + 1));
}

TEST_CASE("structures by value, parameters in registers, and addresses of parameters") {
  auto const x = results({R"(
.func (.param .align 8 .b8 ret[12]) swap(.param .align 8 .b8 s[12]) { .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [s]; mov.b64 %rd1, s; ld.param.u32 %r2, [%rd1+8]; cvta.param.u64 %rd2, %rd1; ld.u32 %r3, [%rd2+4];
  st.param.u32 [ret], %r2; st.param.u32 [ret+4], %r3; st.param.u32 [ret+8], %r1; ret; }
.func (.reg .u32 out) twice(.reg .u32 in) { add.u32 out, in, in; ret; }
.visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  { .param .align 8 .b8 p0[12]; st.param.u32 [p0], %r1; st.param.u32 [p0+4], 1000; st.param.u32 [p0+8], 7;
    .param .align 8 .b8 r0[12]; call (r0), swap, (p0); ld.param.u32 %r2, [r0]; ld.param.u32 %r3, [r0+4]; ld.param.u32 %r4, [r0+8]; }
  mad.lo.u32 %r5, %r2, 100000, %r3; add.u32 %r5, %r5, %r4; call (%r6), twice, (%r5);
  st.global.u32 [%rd1], %r6; ret; })"});
  for (u32 t = 0; t < 40; ++t)
    CHECK(x[t] == 2 * (700000 + 1000 + t));
}

TEST_CASE("a call in one branch only, and a function that some lanes leave early") {
  auto const x = results({R"(
.func (.param .b32 ret) f(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u32 %r1, [x]; setp.gt.u32 %p, %r1, 20; st.param.b32 [ret], 5; @%p ret;
  setp.gt.u32 %p, %r1, 10; @%p bra B; st.param.b32 [ret], 6; ret; B: st.param.b32 [ret], 7; ret; }
.visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, 1; and.b32 %r3, %r1, 1; setp.eq.u32 %p, %r3, 0; @%p bra DONE;
  { .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0; call (r0), f, (p0); ld.param.b32 %r2, [r0]; }
DONE: st.global.u32 [%rd1], %r2; ret; })"});
  for (u32 t = 0; t < 40; ++t)
    CHECK(x[t] == (t % 2 == 0 ? 1u : t > 20 ? 5u : t > 10 ? 7u : 6u));
}

namespace {

// Prints with the arguments that `stores` writes to the buffer at %SP.
std::string printing(std::string const& format, std::string const& stores) {
  std::string bytes;
  for (char const c : format)
    bytes += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
  return ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.global .align 1 .b8 fmt[] = "
         "{" +
         bytes + "0};\n.global .align 1 .b8 word[6] = {104, 101, 108, 108, 111, 0};\n" + R"(
.visible .entry k() { .local .align 8 .b8 depot[64]; .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f64 %fd;
  mov.u32 %r1, %tid.x; mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; mov.u64 %rd3, word; cvta.global.u64 %rd3, %rd3;
)" + stores +
         R"(
  mov.u64 %rd4, fmt; cvta.global.u64 %rd4, %rd4;
  { .param .b64 p0; st.param.b64 [p0], %rd4; .param .b64 p1; st.param.b64 [p1], %rd2; .param .b32 r0;
    call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r5, [r0]; } ret; })";
}

std::string printed(std::string const& format, std::string const& stores, u32 threads = 1) {
  Fixture fixture(printing(format, stores));
  fixture.run("k", {1, 1, 1}, {threads, 1, 1}, {});
  return fixture.text;
}

} // namespace

TEST_CASE("device printf knows C's formats") {
  CHECK(printed("t%d\n", "st.local.u32 [depot], %r1;", 3) == "t0\nt1\nt2\n");
  CHECK(printed("%5d|%-5d|%05d",
                "st.local.u32 [depot], -42; st.local.u32 [depot+4], 42; st.local.u32 [depot+8], 42;") ==
        "  -42|42   |00042");
  CHECK(printed("%u %x %X %#x %o",
                "st.local.u32 [depot], -1; st.local.u32 [depot+4], 255; st.local.u32 [depot+8], 255;"
                "st.local.u32 [depot+12], 255; st.local.u32 [depot+16], 8;") == "4294967295 ff FF 0xff 10");
  CHECK(printed("%d %lld %d",
                "st.local.u32 [depot], 1; mov.b64 %rd5, -2; st.local.u64 [depot+8], %rd5; st.local.u32 "
                "[depot+16], 3;") == "1 -2 3");
  CHECK(printed("%f %.2e %g",
                "mov.f64 %fd, 0d3FF8000000000000; st.local.f64 [depot], %fd; st.local.f64 [depot+8], %fd;"
                "st.local.f64 [depot+16], %fd;") == "1.500000 1.50e+00 1.5");
  CHECK(printed("%s|%.2s|%8s|%c%%",
                "st.local.u64 [depot], %rd3; st.local.u64 [depot+8], %rd3; st.local.u64 [depot+16], "
                "%rd3; st.local.u32 [depot+24], 65;") == "hello|he|   hello|A%");
  CHECK(printed("%*d|%.*f",
                "st.local.u32 [depot], 4; st.local.u32 [depot+4], 7; st.local.u32 [depot+8], 1; mov.f64 %fd, "
                "0d3FF8000000000000; st.local.f64 [depot+16], %fd;") == "   7|1.5");
  CHECK(printed("%hhd %hd", "st.local.u32 [depot], 511; st.local.u32 [depot+4], 65535;") == "-1 -1");
  CHECK(printed("[%n]", "") == "[]");
  CHECK(printed("%s", "mov.u64 %rd5, 0; st.local.u64 [depot], %rd5;") == "(null)");
  CHECK(printed("%99999d", "st.local.u32 [depot], 1;").size() == 1024);
  CHECK(printed("end%", "") == "end");
}

TEST_CASE("printf of a bad pointer is a fault; the text is bounded") {
  Fixture bad(printing("%s", "mov.u64 %rd5, 64; st.local.u64 [depot], %rd5;"));
  CHECK(bad.launch("k", {1, 1, 1}, {1, 1, 1}, {}).status == Status::illegal_address);
  Fixture much(printing("0123456789", ""));
  much.limits.printf_bytes = 100;
  much.run("k", {1, 1, 1}, {64, 1, 1}, {});
  CHECK(much.text.size() == 100);
}

TEST_CASE("malloc and free in kernels") {
  Fixture fixture(R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out, .param .u64 n) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n];
  { .param .b64 p0; st.param.b64 [p0], %rd2; .param .b64 r0; call.uni (r0), malloc, (p0); ld.param.b64 %rd3, [r0]; }
  st.global.u64 [%rd1], %rd3; setp.eq.u64 %p, %rd3, 0; @%p ret;
  st.u32 [%rd3], 5;
  { .param .b64 p0; st.param.b64 [p0], %rd3; call.uni free, (p0); } ret; }
.visible .entry wrong(.param .u64 p) { .reg .b64 %rd1; ld.param.u64 %rd1, [p];
  { .param .b64 p0; st.param.b64 [p0], %rd1; call.uni free, (p0); } ret; })");
  Address const out = fixture.put(std::vector<std::uint64_t>(1));
  for (int i = 0; i < 3; ++i) {
    fixture.run("k", {4, 1, 1}, {64, 1, 1}, {out, 100000});
    REQUIRE(fixture.get<std::uint64_t>(out, 1)[0] != 0);
  }
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {out, 9 << 20}); // more than the heap
  CHECK(fixture.get<std::uint64_t>(out, 1)[0] == 0);
  CHECK(fixture.launch("wrong", {1, 1, 1}, {1, 1, 1}, {out}).status == Status::launch_failed);
  fixture.run("wrong", {1, 1, 1}, {1, 1, 1}, {0}); // free(NULL)
}

TEST_CASE("a failed assertion names the place and every thread that failed") {
  auto const text = [](std::string const& name, std::string const& value) {
    std::string s = ".global .align 1 .b8 " + name + "[] = {";
    for (char const c : value)
      s += std::to_string(static_cast<int>(c)) + ", ";
    return s + "0};\n";
  };
  Fixture fixture(text("msg", "x > 0") + text("file", "a.cu") + text("fun", "void k()") + R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry k() { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;
  mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 62; @%p bra DONE;
  { .param .b64 p0; mov.u64 %rd1, msg; st.param.b64 [p0], %rd1; .param .b64 p1; mov.u64 %rd2, file; st.param.b64 [p1], %rd2;
    .param .b32 p2; st.param.b32 [p2], 12; .param .b64 p3; mov.u64 %rd3, fun; st.param.b64 [p3], %rd3; .param .b64 p4;
    st.param.b64 [p4], 1; call.uni __assertfail, (p0, p1, p2, p3, p4); }
DONE: ret; })");
  Outcome const outcome = fixture.launch("k", {1, 1, 1}, {64, 1, 1}, {});
  CHECK(outcome.status == Status::assert_failed);
  CHECK(fixture.text == "a.cu:12: void k(): block: [0,0,0], thread: [62,0,0] Assertion `x > 0` failed.\n"
                        "a.cu:12: void k(): block: [0,0,0], thread: [63,0,0] Assertion `x > 0` failed.\n");
}

TEST_CASE("what is not known fails when the kernel is asked for, by its name") {
  CHECK_THAT(
      Fixture::build_error(
          {".visible .entry k() { tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}]; ret; }"}, "k"),
      Catch::Contains("tex.2d") || !Catch::Equals(""));
  CHECK_THAT(Fixture::build_error({".visible .entry k() { .reg .b32 %r; add.u31 %r, %r, %r; ret; }"}, "k"),
             Catch::Contains("add.u31"));
  CHECK_THAT(Fixture::build_error({".visible .entry k() { .reg .b32 %r; griddepcontrol.wait; ret; }"}, "k"),
             Catch::Contains("griddepcontrol.wait"));
  CHECK_THAT(
      Fixture::build_error({".visible .entry k() { .reg .b64 %rd; add.u32 %rd, %rd, %rd; ret; }"}, "k"),
      Catch::Contains("another size"));
  CHECK_THAT(Fixture::build_error({".visible .entry k() { ret; }"}, "other"),
             Catch::Contains("no kernel 'other'"));
}
