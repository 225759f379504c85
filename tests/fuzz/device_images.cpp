// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/device_images.h"

#include "frontend/protocol/calls.h"
#include "tests/fuzz/ptx_generator.h"
#include "tests/fuzz/ptx_havoc.h"

#include <cstring>
#include <iterator>

namespace pegasus::fuzz {
namespace {

// index: see device_images.h. store(u64 p, u64 v): *(u32*)p = v. loop(u64 n): n iterations. say(u64 v):
// prints. take(u64 bytes, u64 to): mallocs, stores the pointer. give(u64 from): frees it. shared(): static
// and dynamic shared memory, a barrier. fail(): traps. twice(u32): calls a function of another unit of a set.
constexpr std::string_view known = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 answer[8] = {42, 0, 0, 0, 1, 2, 3, 4};
.visible .const .align 4 .b8 fixed[16] = {1, 2, 3, 4};
.visible .global .align 8 .b8 large[20000];
.global .align 1 .b8 text[13] = {110, 117, 109, 98, 101, 114, 32, 37, 108, 108, 117, 10, 0};
.extern .func (.param .b32 ret) vprintf (.param .b64 format, .param .b64 arguments);
.extern .func (.param .b64 ret) malloc (.param .b64 bytes);
.extern .func free (.param .b64 pointer);
.extern .shared .align 8 .b8 dynamic[];
.visible .entry index(.param .u64 p, .param .u32 base)
{
  .reg .b32 %r<7>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r5, [base];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mad.lo.s32 %r6, %r4, 3, %r5;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
.visible .entry store(.param .u64 p, .param .u64 v)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [v];
  st.u32 [%rd1], %r1;
  ret;
}
.visible .entry loop(.param .u64 n)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [n];
  mov.u64 %rd2, 0;
AGAIN:
  add.u64 %rd2, %rd2, 1;
  setp.lt.u64 %p1, %rd2, %rd1;
  @%p1 bra AGAIN;
  ret;
}
.visible .entry say(.param .u64 v)
{
  .local .align 8 .b8 frame[8];
  .reg .b32 %r<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [v];
  st.local.u64 [frame], %rd1;
  mov.u64 %rd2, frame;
  cvta.local.u64 %rd3, %rd2;
  mov.u64 %rd4, text;
  cvta.global.u64 %rd4, %rd4;
  {
    .param .b64 param0;
    st.param.b64 [param0], %rd4;
    .param .b64 param1;
    st.param.b64 [param1], %rd3;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r1, [retval0];
  }
  ret;
}
.visible .entry take(.param .u64 bytes, .param .u64 to)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [bytes];
  ld.param.u64 %rd2, [to];
  {
    .param .b64 param0;
    st.param.b64 [param0], %rd1;
    .param .b64 retval0;
    call.uni (retval0), malloc, (param0);
    ld.param.b64 %rd3, [retval0];
  }
  st.global.u64 [%rd2], %rd3;
  ret;
}
.visible .entry give(.param .u64 from)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [from];
  ld.global.u64 %rd2, [%rd1];
  {
    .param .b64 param0;
    st.param.b64 [param0], %rd2;
    call.uni free, (param0);
  }
  ret;
}
.visible .entry shared() .maxntid 64, 1, 1
{
  .shared .align 4 .b8 tile[1024];
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  st.shared.u32 [tile+1020], %r1;
  bar.sync 0;
  st.shared.u32 [dynamic], %r1;
  ret;
}
.visible .entry fail()
{
  trap;
}
)";

constexpr std::string_view first_of_set = R"(.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 back) double_it (.param .b32 value);
.extern .global .align 4 .u32 shared_word;
.visible .entry twice(.param .u32 value)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [value];
  {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    .param .b32 retval0;
    call.uni (retval0), double_it, (param0);
    ld.param.b32 %r2, [retval0];
  }
  st.global.u32 [shared_word], %r2;
  ret;
}
)";

constexpr std::string_view second_of_set = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 shared_word;
.visible .func (.param .b32 back) double_it (.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [back], %r2;
  ret;
}
)";

constexpr std::string_view symbols[] = {
    "index", "store", "loop", "say",  "take", "give",  "shared", "fail", "twice",       "answer",  "k",
    "fixed", "large", "text", "none", "",     "calls", "data",   "f0",   "shared_word", "counters"};

void append(std::vector<std::byte>& to, void const* from, std::size_t bytes) {
  auto const* const first = static_cast<std::byte const*>(from);
  to.insert(to.end(), first, first + bytes);
}

DeviceImage make_set(std::string_view first, std::string_view second) {
  DeviceImage image;
  image.kind = 2;
  pegasus_image_set const header{PEGASUS_IMAGE_SET_MAGIC, 2};
  append(image.bytes, &header, sizeof header);
  for (std::string_view const part : {first, second}) {
    std::uint64_t const bytes = part.size() + 1;
    append(image.bytes, &bytes, sizeof bytes);
  }
  for (std::string_view const part : {first, second}) {
    append(image.bytes, part.data(), part.size());
    image.bytes.resize((image.bytes.size() + 8) / 8 * 8); // includes the NUL
  }
  return image;
}

} // namespace

std::string_view known_kernels() { return known; }

std::string_view symbol(unsigned choice) { return symbols[choice % std::size(symbols)]; }

DeviceImage image_of(std::string_view ptx) {
  DeviceImage image;
  append(image.bytes, ptx.data(), ptx.size());
  image.bytes.push_back({}); // the NUL that ends PTX text
  return image;
}

DeviceImage make_image(Input& input) {
  auto const choice = input.take<std::uint8_t>();
  Input own(input.take_bytes(input.take<std::uint8_t>() * std::size_t{choice % 8 == 7 ? 64u : 1u}));
  switch (choice % 8) {
  case 0:
  case 1:
  case 2:
    return image_of(known);
  case 3:
    return image_of(generate_ptx(own));
  case 4:
    return image_of(havoc(std::string(known), own, 1 + choice / 8 % 4));
  case 5: {
    std::string first = choice / 8 % 2 == 0 ? std::string(first_of_set) : generate_ptx(own);
    if (choice / 16 % 2 != 0) first = havoc(std::move(first), own, 1);
    return make_set(first, second_of_set);
  }
  case 6: {
    std::string const text = generate_ptx(own);
    return image_of(havoc(text, own, 1 + choice / 8 % 4));
  }
  default: {
    DeviceImage image;
    auto const bytes = own.take_bytes(own.left());
    image.bytes.assign(bytes.begin(), bytes.end());
    image.kind = choice / 8 % 4;
    return image;
  }
  }
}

} // namespace pegasus::fuzz
