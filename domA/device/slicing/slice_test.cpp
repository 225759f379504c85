// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/slice.h"

#include "domA/device/slicing/test_text.h"

#include <fmt/core.h>
#include <sstream>

using namespace pegasus::slicing;
using namespace pegasus::slicing::test;
using Catch::Contains;
using pegasus::ptx::test::kernel_with;
using pegasus::ptx::test::module_with;

namespace {

constexpr auto globals = ".global .align 4 .u32 counter;\n.visible .global .align 8 .b8 table[64];\n";

// Only words and punctuation: spaces and line ends do not matter.
std::string squeezed(std::string const& text) {
  std::istringstream in(text);
  std::string all;
  for (std::string word; in >> word;)
    all += (all.empty() ? "" : " ") + word;
  return all;
}

} // namespace

TEST_CASE("a kernel is told its piece: what is added, and nothing else") {
  auto const made = sliced(R"(
.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<3>;
	mov.u32 %r1, %ctaid.y;
	mov.u32 %r2, %nctaid.x;
	ret;
}
)");
  CHECK(made.parameter_offset == 12);
  CHECK(squeezed(made.text) == squeezed(R"(
.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .align 4 .b8 pegasus_slice_piece[24])
{
	.reg .b32 %pegasus_slice_ctaid_y;
	ld.param.u32 %pegasus_slice_ctaid_y, [pegasus_slice_piece+4];
	.reg .b32 %pegasus_slice_own_y;
	mov.u32 %pegasus_slice_own_y, %ctaid.y;
	add.u32 %pegasus_slice_ctaid_y, %pegasus_slice_ctaid_y, %pegasus_slice_own_y;
	.reg .b32 %pegasus_slice_nctaid_x;
	ld.param.u32 %pegasus_slice_nctaid_x, [pegasus_slice_piece+12];
	.reg .b32 %r<3>;
	mov.u32 %r1, %pegasus_slice_ctaid_y;
	mov.u32 %r2, %pegasus_slice_nctaid_x;
	ret;
}
)"));
}

TEST_CASE("places that read a block's index, or name a variable") {
  struct {
    char const *before, *after;
  } const rows[] = {
      {"mov.u32 %r1, %ctaid.x;", "mov.u32 %r1, %pegasus_slice_ctaid_x;"},
      {"mov.b32 %r1,%nctaid.z;", "mov.b32 %r1,%pegasus_slice_nctaid_z;"},
      {"cvt.u64.u32 %rd1, %ctaid.z;", "cvt.u64.u32 %rd1, %pegasus_slice_ctaid_z;"},
      {"@!%p1 add.s32 %r1, %r1, %ctaid.y;", "@!%p1 add.s32 %r1, %r1, %pegasus_slice_ctaid_y;"},
      {"L: mad.lo.s32 %r1, %ctaid.x, %nctaid.x, %r2;",
       "L: mad.lo.s32 %r1, %pegasus_slice_ctaid_x, %pegasus_slice_nctaid_x, %r2;"},
      {"{ .reg .u32 t; mov.u32 t, %ctaid.x; }", "{ .reg .u32 t; mov.u32 t, %pegasus_slice_ctaid_x; }"},
      {"st.shared.v2.u32 [%rd1], {%r1, %r2};", "st.shared.v2.u32 [%rd1], {%r1, %r2};"},
      {"mov.u64 %rd1, counter;", "mov.u64 %rd1, 0x7f0000001000;"},
      {"mov.u64 %rd1, table+8;", "mov.u64 %rd1, 0x7f0000002000+8;"},
      {"ld.global.u32 %r1, [table+12];", "ld.global.u32 %r1, [%pegasus_slice_g0+12];"},
      {"@%p1 atom.global.add.u32 %r1, [counter], 1;",
       "@%p1 atom.global.add.u32 %r1, [%pegasus_slice_g0], 1;"},
      {"st.global.v2.u32 [table], {%r1, %r2};", "st.global.v2.u32 [%pegasus_slice_g0], {%r1, %r2};"},
      {"cvta.global.u64 %rd1, counter;", "cvta.global.u64 %rd1, %pegasus_slice_g0;"},
      {"tex.2d.v4.f32.f32 {%f1,_,_,_}|%p1, [%rd1, {%f1, %f2}], {1, -1};",
       "tex.2d.v4.f32.f32 {%f1,_,_,_}|%p1, [%rd1, {%f1, %f2}], {1, -1};"},
      {"tex.grad.2d.v4.f32.f32 {%f1,_,_,_}, [%rd1, {%f1, %f2}], {%f1, %f2}, {%f2, %f1};",
       "tex.grad.2d.v4.f32.f32 {%f1,_,_,_}, [%rd1, {%f1, %f2}], {%f1, %f2}, {%f2, %f1};"},
      {"suld.b.a2d.b32.trap {%r1}, [%rd1, {%ctaid.x, %r1, %r2, %r2}];",
       "suld.b.a2d.b32.trap {%r1}, [%rd1, {%pegasus_slice_ctaid_x, %r1, %r2, %r2}];"},
      {"sust.b.2d.v2.b32.trap [%rd1, {%r1, %ctaid.y}], {%r1, %r2};",
       "sust.b.2d.v2.b32.trap [%rd1, {%r1, %pegasus_slice_ctaid_y}], {%r1, %r2};"},
      {"txq.level.width.b32 %r1, [%rd1], %r2;", "txq.level.width.b32 %r1, [%rd1], %r2;"},
      {"mov.u32 %r1, %tid.x; /* %ctaid.x */ // counter", "mov.u32 %r1, %tid.x; /* %ctaid.x */ // counter"},
      {".pragma \"counter\";", ".pragma \"counter\";"},
      {".loc 1 20 3, function_name counter, inlined_at 1 2 3\nmov.u32 %r1, 5;", "mov.u32 %r1, 5;"},
  };
  for (auto const& row : rows) {
    auto const made = sliced(kernel_with(fmt::format("{}\n.reg .b32 end_of_it;", row.before), globals));
    INFO(made.text);
    CHECK_THAT(made.text, Contains(std::string(row.after) + "\n.reg .b32 end_of_it;"));
  }
}

TEST_CASE("two variables have a register each, one variable one") {
  auto const made = sliced(kernel_with(
      "ld.global.u32 %r1, [table]; red.global.add.u32 [counter], %r1; ld.global.u32 %r1, [table+4];",
      globals));
  CHECK_THAT(made.text, Contains(".reg .b64 %pegasus_slice_g<2>;") &&
                            Contains("mov.u64 %pegasus_slice_g0, 0x7f0000002000;") &&
                            Contains("mov.u64 %pegasus_slice_g1, 0x7f0000001000;"));
  CHECK_THAT(made.text, Contains("[%pegasus_slice_g0]") && Contains("[%pegasus_slice_g1]") &&
                            Contains("[%pegasus_slice_g0+4]"));
  CHECK_THAT(made.text, !Contains(".global .align"));
}

TEST_CASE("where the piece stands behind the parameters") {
  struct {
    char const *parameters, *written;
    std::uint32_t offset;
  } const rows[] = {
      {"", "k(.param .align 4", 0},
      {"()", "k(.param .align 4", 0},
      {"(.param .u8 a)", "k(.param .u8 a, .param .align 4", 4},
      {"(.param .u64 a, .param .u16 b)", ".param .u16 b, .param .align 4", 12},
      {"(.param .align 16 .b8 a[20], .param .f64 b)", ".param .f64 b, .param .align 4", 32},
      {"(.param .u64 .ptr .global .align 4 a) .maxntid 32",
       "a, .param .align 4 .b8 pegasus_slice_piece[24]) .maxntid", 8},
      {"(.param .b8 a[4072])", "a[4072], .param", 4072},
  };
  for (auto const& row : rows) {
    auto const made = sliced(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k" +
                             std::string(row.parameters) + " { ret; }");
    INFO(made.text);
    CHECK(made.parameter_offset == row.offset);
    CHECK_THAT(made.text, Contains(row.written));
  }
}

TEST_CASE("only what the kernel needs stays") {
  auto const made = sliced(R"(
.version 9.0
.target sm_75, debug
.address_size 64
	.file	1 "kernels.cu"
.entry k(.param .u64 a);
.func (.param .b32 r) called(.param .b32 a);
.func unused() { ret; }
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.const .align 4 .b8 weights[16];
.shared .align 4 .b8 tile[64];
.shared .align 4 .b8 other_tile[64];
.extern .shared .align 16 .b8 dynamic[];
.global .align 1 .b8 $str$1[5] = {116, 101, 120, 116};
.global .align 4 .u32 counter;
.visible .entry other() { mov.u32 %r1, %envreg1; }
.entry k(.param .u64 a)
.loc 1 2 3
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	mov.u64 %rd1, $str$1;
	mov.u32 %r1, dynamic;
	st.shared.u32 [tile+4], %r1;
	.loc 1 3 3
	{
	.param .b32 p; .param .b32 q;
	st.param.b32 [p], %r1;
	call.uni (q), called, (p);
	}
	ret;
}
.func (.param .b32 r) called(.param .b32 a) { .reg .b32 %r<2>; ld.global.u32 %r1, [counter]; ret; }
.section .debug_str { .b8 1, 2 $L__info: .b8 3 }
)");
  for (auto const kept :
       {"$str$1[5] = {", "tile[64]", "dynamic[]", ".func (.param .b32 r) called(.param .b32 a);",
        "ld.global.u32 %r1, [%pegasus_slice_g0];", ".target sm_75\n"})
    CHECK_THAT(made.text, Contains(kept));
  for (auto const dropped : {"unused", "vprintf", "weights", "other", "counter", "debug", ".loc", ".file"})
    CHECK_THAT(made.text, !Contains(dropped));
  // The declaration and the definition must have the same parameters.
  auto const first = made.text.find("pegasus_slice_piece[24]");
  CHECK(made.text.find("pegasus_slice_piece[24]", first + 1) != std::string::npos);
}

TEST_CASE("a string that the loaded module has an address for is not copied") {
  auto const text = kernel_with("mov.u64 %rd1, $str;", ".global .align 1 .b8 $str[3] = {1, 2, 0};\n");
  CHECK_THAT(sliced(text).text, Contains("mov.u64 %rd1, $str;") && Contains("$str[3] = {1, 2, 0}"));
  auto const made = sliced(text, [](std::string_view) { return 0x1000; });
  CHECK_THAT(made.text, Contains("mov.u64 %rd1, 0x1000;") && !Contains("$str"));
}

TEST_CASE("a variable's initial value does not matter: it has been loaded, and may have changed") {
  auto const made =
      sliced(kernel_with("ld.global.u64 %rd1, [table];",
                         ".global .align 4 .u32 other;\n.global .u64 table[2] = {other, generic(other)};\n"));
  CHECK_THAT(made.text, !Contains("other"));
}

TEST_CASE("aliases of functions stay") {
  auto const made = sliced(
      kernel_with("call.uni second;", ".func second();\n.func first() { ret; }\n.alias second, first;\n"));
  CHECK_THAT(made.text, Contains(".alias second, first;") && Contains(".func first()"));
}
