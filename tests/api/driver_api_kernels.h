// SPDX-License-Identifier: Apache-2.0
// PTX text of the driver API programs.
#pragma once

#include "tests/api/driver_api_expect.h"

namespace kernels {

// data[i] = data[i] * factor + i for i < count, with `.param` offsets 0, 8, 12.
inline constexpr char scale_ptx[] = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter[4] = {1, 2, 3, 4};
.visible .entry scale(.param .u64 data, .param .u32 factor, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [factor];
  ld.param.u32 %r2, [count];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r2;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r6, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r7, [%rd2];
  mad.lo.s32 %r8, %r7, %r1, %r6;
  st.global.u32 [%rd2], %r8;
DONE:
  ret;
}
.visible .entry nothing() { ret; }
)";

// Two compilation units: the caller knows the callee by name only.
inline constexpr char caller_ptx[] = R"(
.version 6.4
.target sm_75
.address_size 64
.extern .func (.param .b32 result) triple(.param .b32 value);
.visible .entry call_triple(.param .u64 data)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r1, [%rd2];
  {
    .param .b32 value;
    .param .b32 result;
    st.param.b32 [value], %r1;
    call.uni (result), triple, (value);
    ld.param.b32 %r2, [result];
  }
  st.global.u32 [%rd2], %r2;
  ret;
}
)";
inline constexpr char callee_ptx[] = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .func (.param .b32 result) triple(.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  mul.lo.s32 %r2, %r1, 3;
  st.param.b32 [result], %r2;
  ret;
}
)";

inline constexpr char fault_ptx[] = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .entry fault()
{
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  st.global.u32 [%rd1], 1;
  ret;
}
)";

inline CUfunction function_of(CUmodule module, char const* name) {
  CUfunction function = nullptr;
  WORKS(cuModuleGetFunction(&function, module, name));
  return function;
}

inline CUmodule load(char const* text) {
  CUmodule module = nullptr;
  WORKS(cuModuleLoadData(&module, text));
  return module;
}

} // namespace kernels
