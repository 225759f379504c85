// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/body.h"

#include "domA/device/ptx/test_text.h"

#include <bit>
#include <fmt/format.h>

namespace pegasus::ptx {
namespace {
using namespace test;

// Operands in one line: registers by number, addresses in brackets.
std::string shown(Operand const& o) {
  std::string const sign = o.negated ? "!" : "";
  auto const list = [](std::vector<Operand> const& all) {
    std::string text;
    for (Operand const& element : all)
      text += (text.empty() ? "" : " ") + shown(element);
    return text;
  };
  switch (o.kind) {
  case Operand::Kind::reg:
    return fmt::format("{}r{}{}", sign, o.reg, o.symbol.empty() ? "" : "." + std::string(o.symbol));
  case Operand::Kind::integer:
    return fmt::format("{}", static_cast<std::int64_t>(o.bits));
  case Operand::Kind::real:
    return o.single ? fmt::format("f{:x}", o.bits) : fmt::format("d{}", std::bit_cast<double>(o.bits));
  case Operand::Kind::address:
    return fmt::format("[{}{:+}{}]", o.reg_base ? fmt::format("r{}", o.reg) : std::string(o.symbol), o.offset,
                       o.elements.empty() ? "" : " " + list(o.elements));
  case Operand::Kind::symbol:
    return fmt::format("{}{:+}", o.symbol, o.offset);
  case Operand::Kind::special:
    return std::string(o.symbol);
  case Operand::Kind::label:
    return fmt::format("->{}", o.target);
  case Operand::Kind::vector:
    return "{" + list(o.elements) + "}";
  case Operand::Kind::discard:
    return "_";
  }
  return "?";
}

std::string shown(Instruction const& i) {
  std::string text =
      i.guard == Instruction::no_guard ? "" : fmt::format("@{}{} ", i.guard_negated ? "!" : "", i.guard);
  text += i.mnemonic;
  for (auto const modifier : i.modifiers)
    text += "." + std::string(modifier);
  for (Operand const& operand : i.operands)
    text += " " + shown(operand);
  return text + (i.second_destination ? " |" : "");
}

// Registers of kernel_with: %p0 is 0, %r0 is 4, %rd0 is 12, %f0 is 20; then those of the row.
TEST_CASE("instructions and their operands") {
  struct Row {
    char const* text;
    char const* expected;
  };
  auto const row = GENERATE(values<Row>({
      {"ret;", "ret"},
      {"@%p1 exit;", "@1 exit"},
      {"@!%p1 bra.uni L; L:", "@!1 bra.uni ->1"},
      {"L: bra L;", "bra ->0"},
      {"add.s32 %r1, %r2, -4;", "add.s32 r5 r6 -4"},
      {"mov .u32 %r1, 0xFFFFFFFFU;", "mov.u32 r5 4294967295"},
      {"mov.f32 %f1, 0f3F800000;", "mov.f32 r21 f3f800000"},
      {"mov.f32 %f1, 1.5;", "mov.f32 r21 d1.5"},
      {"mov.f32 %f1, -0d3FF8000000000000;", "mov.f32 r21 d-1.5"},
      {"mov.u32 %r1, %tid.x;", "mov.u32 r5 %tid.x"},
      {"mov.u64 %rd1, %clock64;", "mov.u64 r13 %clock64"},
      {"mov.u32 %r1, WARP_SZ;", "mov.u32 r5 32"},
      {"mov.u32 %r1, (1+2)*WARP_SZ;", "mov.u32 r5 96"},
      {"mov.u32 %r1, -WARP_SZ+1;", "mov.u32 r5 -31"},
      {"mov.u64 %rd1, sym;", "mov.u64 r13 sym+0"},
      {"mov.u64 %rd1, sym+4*2;", "mov.u64 r13 sym+8"},
      {"mov.u64 %rd1, out;", "mov.u64 r13 out+0"},
      {"mov.b64 {%r1, %r2}, %rd1;", "mov.b64 {r5 r6} r13"},
      {"ld.param.u64 %rd1, [out];", "ld.param.u64 r13 [out+0]"},
      {"ld.param.u64 %rd1, [out+8];", "ld.param.u64 r13 [out+8]"},
      {"ld.global.u32 %r1, [%rd1];", "ld.global.u32 r5 [r13+0]"},
      {"ld.global.u32 %r1, [%rd1+4];", "ld.global.u32 r5 [r13+4]"},
      {"ld.global.u32 %r1, [%rd1+-4];", "ld.global.u32 r5 [r13-4]"},
      {"ld.global.u32 %r1, [%rd1-4+8];", "ld.global.u32 r5 [r13+4]"},
      {"ld.global.u32 %r1, [ 0x10 ];", "ld.global.u32 r5 [+16]"},
      {"ld.global.nc.L2::128B.v4.f32 {%f0, %f1, %f2, _}, [%rd1];",
       "ld.global.nc.L2::128B.v4.f32 {r20 r21 r22 _} [r13+0]"},
      {"st.global.v2.u32 [%rd1+8], {%r1, 5};", "st.global.v2.u32 [r13+8] {r5 5}"},
      {"setp.eq.and.s32 %p1|%p2, %r1, 0, !%p3;", "setp.eq.and.s32 r1 r2 r5 0 !r3 |"},
      {"setp.eq.s32 %p1|_, %r1, 0;", "setp.eq.s32 r1 _ r5 0 |"},
      {"shfl.sync.idx.b32 %r1|%p1, %r2, 1|2, 31, -1;", "shfl.sync.idx.b32 r5 r1 r6 3 31 -1 |"},
      {"tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f4, %f5}];",
       "tex.2d.v4.f32.f32 {r20 r21 r22 r23} [r13+0 {r24 r25}]"},
      {"tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, s, {%r1}];",
       "tex.1d.v4.f32.s32 {r20 r21 r22 r23} [t+0 s+0 {r5}]"},
      {"tex.2d.v4.f32.f32 {%f0,_,_,_}|%p1, [%rd1, {%f4, %f5}], {%r1, -2};",
       "tex.2d.v4.f32.f32 {r20 _ _ _} r1 [r13+0 {r24 r25}] {r5 -2} |"},
      {"suld.b.1d.b32.trap {%r1}, [%rd1, {%r2}];", "suld.b.1d.b32.trap {r5} [r13+0 {r6}]"},
      {"suld.b.1d.b32.trap %r1, [%rd1, %r2];", "suld.b.1d.b32.trap r5 [r13+0 r6]"},
      {"sust.b.a1d.b32.zero [%rd1, {%r1, 8}], {%r2};", "sust.b.a1d.b32.zero [r13+0 {r5 8}] {r6}"},
      {"vadd.s32.u32.u32 %r1, -%r2.b0, %r3.h1;", "vadd.s32.u32.u32 r5 !r6.b0 r7.h1"},
      {"vabsdiff4.u32.u32.u32.add %r1.b3210, %r2.b7654, %r3, %r4;",
       "vabsdiff4.u32.u32.u32.add r5.b3210 r6.b7654 r7 r8"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, "
       "{%f0,%f1,%f2,%f3};",
       "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {r20 r21 r22 r23} {r4 r5} {r6} {r20 r21 r22 r23}"},
      {"call f;", "call {} f+0 {}"},
      {"call.uni (%r1), f, (%r2, 5, out);", "call.uni {r5} f+0 {r6 5 out+0}"},
      {"call.uni f, ();", "call.uni {} f+0 {}"},
      {"call (%r1), f;", "call {r5} f+0 {}"},
      {"p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 _[8]) .noreturn; call (%r1), "
       "%rd1, (%rd2), p;",
       "call {r5} r13 {r14} p+0"},
      {"t: .calltargets f, g; call %rd1, t;", "call {} r13 {} t+0"},
      {"t: .branchtargets A, B; brx.idx.uni %r1, t; A: B:", "brx.idx.uni r5 t+0"},
      {".reg .v4 .f32 v; mov.f32 v.y, v.w;", "mov.f32 r29 r31"},
      {".reg .v2 .f32 v; ld.v2.f32 v, [%rd1];", "ld.v2.f32 {r28 r29} [r13+0]"},
      {".shared .u32 a[4]; ld.shared.u32 %r1, a[3];", "ld.shared.u32 r5 [a+12]"},
      {".shared .u32 a[4]; mov.u64 %rd1, a[3];", "mov.u64 r13 a+12"},
      {".reg .pred q; .reg .b32 $x, _y, x%; ret;", nullptr},
      {".reg .pred q, w; @q vote.sync.ballot.b32 %r1, !w, 0xffffffff;",
       "@28 vote.sync.ballot.b32 r5 !r29 4294967295"},
      {"; .loc 1 2 3, function_name $L__s+4, inlined_at 1 2 3 .pragma \"nounroll\"; .file 3 \"x\" membar.gl;",
       "membar.gl"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2, {%r1, "
       "%r2}], [%rd3];",
       "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r13+0] [r14+0 {r5 r6}] "
       "[r15+0]"},
  }));
  INFO(row.text);
  if (row.expected == nullptr) {
    refused(kernel_with(row.text));
    return;
  }
  One const found = one(row.text);
  CHECK(shown(*found) == row.expected);
  CHECK(found->line == 6);
}

TEST_CASE("calls' blocks, lists and prototypes are kept") {
  One const found = one(
      "t: .branchtargets A, B; p: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[8], .param .b64 x);"
      "A: add.s32 %r1, %r1, 1; B: brx.idx %r1, t;");
  auto const& function = found.function();
  REQUIRE(function.label_lists.size() == 1);
  CHECK(function.label_lists[0].targets == std::vector<std::uint32_t>{0, 1});
  REQUIRE(function.prototypes.size() == 1);
  CHECK(function.prototypes[0].parameters[0].bytes == 8);
  CHECK(function.prototypes[0].parameters[1].name == "x");
  CHECK(function.prototypes[0].returns[0].type == Type::b32);
}

TEST_CASE("an element of an outer array is found by its size") {
  CHECK(shown(*one("ld.global.f64 %rd1, table[2];", ".global .f64 table[4];")) ==
        "ld.global.f64 r13 [table+16]");
  CHECK_THAT(refused(kernel_with("ld.global.f64 %rd1, other[2];")).message,
             Catch::Contains("not a declared array"));
}

TEST_CASE("wrong instructions") {
  struct Row {
    char const* text;
    char const* message;
  };
  auto const row = GENERATE(values<Row>({
      {"add.s32 %r1, %r2", "expected ';'"},
      {"add.s32 %r1 %r2;", "expected ';', found '%r2'"},
      {"add.s32 %r1,;", "an operand"},
      {"add.s32 %r9, 1;", "'%r9' is not declared: its range has 8"},
      {"add.s32 %r, 1;", nullptr},
      {"ld.u32 %r1, [%q];", "'%q' is not declared"},
      {"ld.u32 %r1, [%rd1+%rd2];", "a number"},
      {"ld.u32 %r1, [%rd1", "']'"},
      {"ld.u32 %r1, [];", "an operand"},
      {"ld.u32 %r1, [1.5];", "in an address"},
      {"ld.u32 %r1, [%rd1+1.5];", "not whole"},
      {"ld.u32 %r1, [a,b,c,d,e,f,g,h,i,j];", "too many parts"},
      {"mov.u32 %r1, {%r1, {%r2}};", "an operand"},
      {"mov.u32 %r1, {%r1;", "','"},
      {"mov.u32 %r1, !out;", "not a register"},
      {"mov.u32 %r1, %tid .x;", "a blank"},
      {"mov.u32 %r1.x, 1;", "found '.x'"},
      {"@%p9 ret;", "guard '%p9'"},
      {"@q ret;", "guard 'q'"},
      {"@%p1 { }", "after its guard"},
      {"bra L;", "label 'L' is not defined"},
      {"bra %r1;", "label '%r1' is not defined"},
      {"bra 5;", "a label"},
      {"{ L: } bra L;", "label 'L' is not defined"},
      {"t: .branchtargets L;", "label 'L' is not defined"},
      {"L: L: ret;", "'L' is defined twice"},
      {"call;", "the function to call"},
      {"call (%r1) f;", "','"},
      {"call f, (%r1, [x]);", "an operand"},
      {"call f, 5;", "a prototype"},
      {".reg .b32 %r<9>;", "'%r' is declared twice"},
      {".reg .b32 x, x;", "'x' is declared twice"},
      {".reg .b32 x<9999999999>;", "at most"},
      {".reg .b32 x<4000000>, y<4000000>;", "more than"},
      {".reg .b32 x<-1>;", "number of registers"},
      {".reg .v2 .b32 x<4>;", "vector registers"},
      {".reg .v2 .b32 x; mov.b32 x.z, 0;", "a component"},
      {".local .b32 x = 4;", "initial value"},
      {".weird;", "a declaration"},
      {"5;", "an instruction"},
      {"{ ret;", "the end of the text"},
      {"1:", "an instruction"},
  }));
  INFO(row.text);
  if (row.message == nullptr) {
    one(row.text); // an unknown %name may be a special register, which exec/ checks
    return;
  }
  Error const error = refused(kernel_with(row.text));
  CHECK_THAT(error.message, Catch::Contains(row.message));
  CHECK(error.line >= 6);
}

} // namespace
} // namespace pegasus::ptx
