// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/program.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;
using namespace pegasus::software::test;

TEST_CASE("a kernel adds two vectors") {
  Fixture fixture(R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $L__BB0_2;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f2, %f1;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
$L__BB0_2:
  ret;
})");
  std::vector<float> a, b;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(static_cast<float>(i));
    b.push_back(static_cast<float>(2 * i));
  }
  Address const pa = fixture.put(a), pb = fixture.put(b), pc = fixture.put(std::vector<float>(1000));
  fixture.run("add", {8, 1, 1}, {128, 1, 1}, {pa, pb, pc, 1000});
  std::vector<float> const c = fixture.get<float>(pc, 1000);
  for (int i = 0; i < 1000; ++i)
    REQUIRE(c[static_cast<std::size_t>(i)] == static_cast<float>(3 * i));
}
