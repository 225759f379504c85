// SPDX-License-Identifier: Apache-2.0
// Accesses to the gap behind an allocation, where they are allowed.
#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

std::string kernel(std::string const& body) {
  return R"(.visible .entry k(.param .u64 p, .param .u64 q) {
  .reg .b64 %p, %q, %rd<4>; .reg .b32 %r<4>; .shared .align 16 .b8 mem[64];
  ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u32 %r0, %tid.x;
)" + body +
         " ret; }";
}

} // namespace

TEST_CASE("accesses behind an allocation are forgiven on request") {
  Fixture fixture(kernel(R"(
  mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %p, %rd1; add.s64 %rd3, %q, %rd1;
  ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd2+4], %r0; add.u32 %r1, %r1, 1; st.global.u32 [%rd3], %r1;)"));
  fixture.limits.forgives_gaps = true;
  Address const p = fixture.put(std::vector<u32>(20, 7)), q = fixture.put(std::vector<u32>(32));
  auto const outcome = fixture.launch("k", {1, 1, 1}, {32, 1, 1}, {p, q});
  CHECK(outcome.status == Status::success);
  CHECK(outcome.forgiven.find("thread [20,0,0], PTX line") != std::string::npos);
  CHECK(outcome.forgiven.find("0 bytes past its end") != std::string::npos);
  auto const out = fixture.get<u32>(q, 32);
  CHECK(out[0] == 8);
  CHECK(out[20] == 1);
  CHECK(out[31] == 1);
  CHECK(fixture.get<u32>(p, 20)[19] == 18); // by the thread before
}

TEST_CASE("an access that begins inside reads and writes what is inside") {
  Fixture fixture(kernel(R"(
  ld.global.u64 %rd1, [%p+8]; st.global.u64 [%q], %rd1; mov.u64 %rd2, 0x0102030405060708; st.global.u64 [%p+8], %rd2;)"));
  fixture.limits.forgives_gaps = true;
  Address const p = fixture.put(std::vector<u32>{1, 2, 3}), q = fixture.put(std::vector<u64>(1));
  fixture.run("k", {1, 1, 1}, {1, 1, 1}, {p, q});
  CHECK(fixture.get<u64>(q, 1)[0] == 3);
  CHECK(fixture.get<u32>(p, 3)[2] == 0x05060708);
}

TEST_CASE("what is not just behind an allocation is never forgiven") {
  for (char const* const access :
       {"ld.global.u32 %r1, [%p+208];", "ld.global.u64 %rd1, [%p+200];", "st.global.u32 [%p+-4], %r1;",
        "ld.shared.u32 %r1, [mem+64];", "ld.global.u32 %r1, [16];"}) {
    CAPTURE(access);
    Fixture fixture(kernel(access));
    fixture.limits.forgives_gaps = true;
    Address const p = fixture.put(std::vector<u32>(20)); // 80 bytes
    auto const outcome = fixture.launch("k", {1, 1, 1}, {1, 1, 1}, {p, p});
    bool const just_behind = std::string_view(access).find("200") != std::string_view::npos;
    CHECK(outcome.status == (just_behind ? Status::success : Status::illegal_address));
    CHECK(outcome.forgiven.empty() == !just_behind);
  }
}
