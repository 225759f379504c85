// SPDX-License-Identifier: Apache-2.0
// Common code for the tests of the context: a context, helpers for calls, and kernels as PTX text.
#pragma once

#include "domA/device/software/software_device.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::software::test {

using device::Status;

constexpr std::uint32_t image_fatbin_or_ptx = 1; // image_kind

struct Fixture {
  explicit Fixture(Options const& options = {.memory_bytes = 64u << 20})
      : context(make_software_context(options)) {}

  std::unique_ptr<device::Module> load(std::string_view ptx) {
    std::string const text(ptx); // includes its NUL, as programs pass PTX
    std::unique_ptr<device::Module> module;
    std::string log;
    Status const status = context->load_module(std::as_bytes(std::span(text.c_str(), text.size() + 1)),
                                               image_fatbin_or_ptx, module, log);
    INFO(log);
    REQUIRE(status == Status::success);
    REQUIRE(module != nullptr);
    return module;
  }
  device::Address allocate(std::uint64_t bytes) {
    device::Address address = 0;
    REQUIRE(context->allocate(bytes, address) == Status::success);
    return address;
  }
  template <class Element> std::vector<Element> read(device::Address address, std::size_t count) {
    std::vector<Element> values(count);
    REQUIRE(context->copy_from_device(nullptr, std::as_writable_bytes(std::span(values)),
                                      {address, 0, count * sizeof(Element), 1}) == Status::success);
    return values;
  }
  template <class Element> void write(device::Address address, std::vector<Element> const& values) {
    REQUIRE(context->copy_to_device(nullptr, {address, 0, values.size() * sizeof(Element), 1},
                                    std::as_bytes(std::span(values))) == Status::success);
  }
  std::string output(device::Output::Kind kind) {
    std::string text;
    while (context->output_pending()) {
      device::Output part = context->take_output(4096);
      if (part.kind == kind) text += part.text;
    }
    return text;
  }

  std::unique_ptr<device::Context> context;
};

// Parameters of 8 bytes each, packed.
inline std::vector<std::byte> pack(std::vector<std::uint64_t> const& values) {
  std::vector<std::byte> bytes(values.size() * 8);
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// index(u64 p): p[i] = i * 3 over the whole grid. store(u64 p, u64 v): *(u32*)p = v. bounded: at most 64
// threads. shared: 1 KiB static. fail: traps. answer: a variable. say(u64): prints.
constexpr std::string_view kernels = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 answer[8] = {42, 0, 0, 0, 1, 2, 3, 4};
.global .align 1 .b8 text[13] = {110, 117, 109, 98, 101, 114, 32, 37, 108, 108, 117, 10, 0};
.extern .func (.param .b32 ret) vprintf (.param .b64 format, .param .b64 arguments);

.visible .entry index(.param .u64 p)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.lo.s32 %r5, %r4, 3;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r5;
  ret;
}
.visible .entry store(.param .u64 p, .param .u64 v)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [v];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}
.visible .entry bounded() .maxntid 64, 1, 1
{
  ret;
}
.visible .entry shared()
{
  .shared .align 4 .b8 tile[1024];
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  st.shared.u32 [tile+1020], %r1;
  ret;
}
.visible .entry fail()
{
  trap;
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
)";

} // namespace pegasus::software::test
