// SPDX-License-Identifier: Apache-2.0
// The PTX text that driver_api passes to the driver. It is hand-written, and therefore the same
// for every compiler.
#pragma once

inline char const driver_api_ptx[] = R"ptx(
.version 7.0
.target sm_75
.address_size 64

.visible .global .align 4 .u32 launches = 5;
.visible .const .align 4 .f32 offset = 0f3F000000; // 0.5

// y[i] = a * x[i] + y[i] + offset; the first thread counts the launch
.visible .entry saxpy(
  .param .u64 saxpy_x,
  .param .u64 saxpy_y,
  .param .f32 saxpy_a,
  .param .u32 saxpy_n
)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .f32 %f<6>;
  .reg .b64 %rd<9>;

  ld.param.u64 %rd1, [saxpy_x];
  ld.param.u64 %rd2, [saxpy_y];
  ld.param.f32 %f1, [saxpy_a];
  ld.param.u32 %r1, [saxpy_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ne.u32 %p1, %r5, 0;
  @%p1 bra COMPUTE;
  mov.u64 %rd8, launches;
  atom.global.add.u32 %r6, [%rd8], 1;
COMPUTE:
  setp.ge.u32 %p2, %r5, %r1;
  @%p2 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  ld.const.f32 %f5, [offset];
  add.rn.f32 %f4, %f4, %f5;
  st.global.f32 [%rd7], %f4;
DONE:
  ret;
}
)ptx";
