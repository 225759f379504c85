// SPDX-License-Identifier: Apache-2.0
// mbarrier: phases, states and counts; what ends the kernel.
#include "domA/device/software/exec/mbarrier_word.h"

#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;

namespace {

// One thread or more; %n, of each thread, is the result.
std::string kernel(std::string const& body) {
  return for_sm_80(R"(.visible .entry k(.param .u64 out) { .reg .b32 %n, %t, %c; .reg .b64 %q, %o, %s<4>, %g;
  .reg .pred %p, %h; .shared .align 8 .b8 mem[64];
  mov.u32 %t, %tid.x; mov.u32 %n, 0;
)" + body + R"(
END: ld.param.u64 %q, [out]; mul.wide.u32 %o, %t, 4; add.s64 %q, %q, %o; st.global.b32 [%q], %n; ret; })");
}

std::vector<u32> results(std::string const& body, u32 threads = 1) {
  Fixture fixture(kernel(body));
  Address const out = fixture.put(std::vector<u32>(threads));
  fixture.run("k", {1, 1, 1}, {threads, 1, 1}, {out});
  return fixture.get<u32>(out, threads);
}
u32 result(std::string const& body) { return results(body).front(); }

Outcome failing(std::string const& body) {
  Fixture fixture(kernel(body));
  return fixture.launch("k", {1, 1, 1}, {1, 1, 1}, {fixture.put(std::vector<u32>(64))});
}

constexpr char const* init3 = "mbarrier.init.shared.b64 [mem+8], 3;\n";
constexpr char const* arrive = "mbarrier.arrive.shared.b64 %s1, [mem+8];\n";
constexpr char const* arrive_drop = "mbarrier.arrive_drop.shared::cta.b64 %s1, [mem+8];\n";
constexpr char const* waits = "mbarrier.test_wait.shared.b64 %p, [mem+8], %s0; selp.b32 %n, 1, 0, %p;\n";

} // namespace

TEST_CASE("a phase ends with its last arrival, and the next one begins") {
  std::string const first = std::string(init3) + "mbarrier.arrive.shared.b64 %s0, [mem+8];\n";
  CHECK(result(first + waits) == 0);
  CHECK(result(first + arrive + waits) == 0);
  CHECK(result(first + arrive + arrive + waits) == 1);
  CHECK(result(first + arrive + arrive + "mov.b64 %s0, %s1;" + arrive + arrive + arrive + waits) == 1);
  // A state of the second phase.
  CHECK(result(first + arrive + arrive + arrive + "mov.b64 %s0, %s1;" + waits) == 0);
  std::string const counted = "mbarrier.arrive.noComplete.shared.b64 _, [mem+8], 2;\n";
  CHECK(result(first + arrive + arrive + counted + waits) == 1);
}

TEST_CASE("waiting for a parity") {
  auto const parity = [](char const* which) {
    return fmt::format("mbarrier.test_wait.parity.shared.b64 %p, [mem+8], {}; selp.b32 %n, 1, 0, %p;\n",
                       which);
  };
  std::string const three = std::string(arrive) + arrive + arrive;
  CHECK(result(init3 + parity("0")) == 0);
  CHECK(result(init3 + parity("1")) == 1);
  CHECK(result(init3 + three + parity("0")) == 1);
  CHECK(result(init3 + three + parity("1")) == 0);
  CHECK(result(init3 + three + three + parity("0")) == 0);
}

TEST_CASE("counts: pending arrivals, and those that are dropped") {
  std::string const pending = "mbarrier.pending_count.b64 %n, %s1;\n";
  CHECK(result(std::string(init3) + arrive + pending) == 3);
  CHECK(result(std::string(init3) + arrive + arrive + pending) == 2);
  CHECK(result(std::string(init3) + arrive_drop + arrive + arrive + arrive + pending) == 2);
  CHECK(result(std::string(init3) + "mbarrier.arrive_drop.noComplete.shared.b64 %s0, [mem+8], 2;" + arrive +
               arrive + pending) == 1);
}

TEST_CASE("generic addresses") {
  CHECK(result("cvta.shared.u64 %g, mem; mbarrier.init.b64 [%g], 1; mbarrier.arrive.b64 %s0, [%g];"
               "mbarrier.test_wait.b64 %p, [%g], %s0; selp.b32 %n, 1, 0, %p; mbarrier.inval.b64 [%g];") == 1);
}

TEST_CASE("copies arrive when they are complete, which they are") {
  std::string const noinc = "cp.async.mbarrier.arrive.noinc.shared.b64 [mem+8];\n";
  std::string const counted = "cp.async.mbarrier.arrive.shared.b64 [mem+8];\n";
  std::string const first = std::string(init3) + "mbarrier.arrive.shared.b64 %s0, [mem+8];\n";
  CHECK(result(first + noinc + noinc + waits) == 1);
  CHECK(result(first + counted + counted + arrive + waits) == 0);
  CHECK(result(first + counted + arrive + arrive + waits) == 1);
}

TEST_CASE("threads of several warps wait for each other") {
  auto const n = results(R"(.reg .b32 %m; setp.ne.u32 %h, %t, 0; mov.u32 %m, mem;
    @%h bra READY; mbarrier.init.shared.b64 [mem], 96; st.shared.b32 [mem+32], 0;
    READY: bar.sync 0; red.shared.add.u32 [mem+32], 1; mbarrier.arrive.shared.b64 %s0, [mem];
    WAIT: mbarrier.test_wait.shared.b64 %p, [mem], %s0; @!%p bra WAIT; ld.shared.b32 %n, [mem+32];)",
                         96);
  CHECK(n == std::vector<u32>(96, 96));
}

TEST_CASE("what is no barrier, and what is no arrival") {
  auto const status = [](std::string const& body) { return failing(body).status; };
  CHECK(status("mbarrier.init.shared.b64 [mem], 0;") == Status::illegal_instruction);
  CHECK(status("mbarrier.init.shared.b64 [mem], 1048575;") == Status::success);
  CHECK(status("mbarrier.init.shared.b64 [mem], 1048576;") == Status::illegal_instruction);
  CHECK(status("mbarrier.init.shared.b64 [mem+4], 1;") == Status::misaligned_address);
  CHECK(status("mbarrier.init.shared.b64 [mem+64], 1;") == Status::illegal_address);
  CHECK(status("ld.param.u64 %g, [out]; mbarrier.init.b64 [%g], 1;") == Status::invalid_address_space);
  CHECK(status("mov.b64 %g, 64; mbarrier.arrive.b64 %s0, [%g];") == Status::illegal_address);
  CHECK(status("cp.async.mbarrier.arrive.shared.b64 [mem+64];") == Status::illegal_address);
  CHECK(status(std::string(init3) + "mbarrier.arrive.noComplete.shared.b64 %s0, [mem+8], 4;") ==
        Status::illegal_instruction);
  CHECK(status(std::string(init3) + "mbarrier.inval.shared.b64 [mem+8];" + arrive) ==
        Status::illegal_instruction);
  // Whatever a kernel wrote there is a number of arrivals, and no more.
  CHECK(status("mov.b64 %g, -1; st.shared.b64 [mem+8], %g;" + std::string(arrive) + arrive_drop + waits) ==
        Status::success);
  CHECK(status("mov.b64 %g, 1; st.shared.b64 [mem+8], %g;" + std::string(arrive_drop)) ==
        Status::illegal_instruction);
}
