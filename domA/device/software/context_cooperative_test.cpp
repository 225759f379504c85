// SPDX-License-Identifier: Apache-2.0
// Cooperative launches: blocks that wait for each other.
#include "domA/device/software/context.h"

#include "domA/device/memory/quota_test_fixture.h"
#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Address;
using pegasus::memory::test::QuotaMemory;
using pegasus::testing::CountedSlice;
using pegasus::testing::EndlessSlice;

namespace {

// meet(u32* p): *p counts the blocks; no block ends before all are counted. p[1]: the first 32 bits of the
// driver's workspace for grid-wide barriers: its size.
constexpr std::string_view meet = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry meet(.param .u64 p)
{
  .reg .pred %q<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %q1, %r1, 0;
  @%q1 bra WAIT;
  mov.u32 %r4, %envreg1;
  mov.u32 %r5, %envreg2;
  mov.b64 %rd2, {%r5, %r4};
  ld.u32 %r4, [%rd2];
  st.global.u32 [%rd1+4], %r4;
  red.global.add.u32 [%rd1], 1;
WAIT:
  ld.volatile.global.u32 %r2, [%rd1];
  mov.u32 %r3, %nctaid.x;
  setp.lt.u32 %q2, %r2, %r3;
  @%q2 bra WAIT;
  ret;
}
)";

// Launches `blocks` blocks of 64 threads.
Status launch_meet(Fixture& f, pegasus::device::Module& module, Address p, std::uint32_t blocks,
                   pegasus::device::TimeSlice const& slice = EndlessSlice()) {
  auto* const function = module.function("meet");
  REQUIRE(function != nullptr);
  return f.context->launch(nullptr, *function, {{blocks, 1, 1}, {64, 1, 1}, 0, true, pack({p})}, slice);
}

} // namespace

TEST_CASE("all blocks of a cooperative launch are there at the same time") {
  Fixture f;
  auto module = f.load(meet);
  Address const p = f.allocate(8);
  std::uint64_t const used = f.context->memory_used();
  REQUIRE(launch_meet(f, *module, p, 16) == Status::success);
  REQUIRE(f.context->synchronize() == Status::success);
  CHECK(f.read<std::uint32_t>(p, 2) == std::vector<std::uint32_t>{16, grid_workspace_bytes});
  CHECK(f.context->memory_used() == used);
  Address const q = f.allocate(8);
  REQUIRE(launch_meet(f, *module, q, 256) == Status::success); // 16 multiprocessors
  REQUIRE(f.context->synchronize() == Status::success);
  CHECK(f.read<std::uint32_t>(q, 1).front() == 256);
  CHECK(launch_meet(f, *module, p, 257) == Status::cooperative_launch_too_large);
}

TEST_CASE("blocks are resident as occupancy says, however much local memory they have") {
  Fixture f;
  std::string text(meet);
  text.insert(text.find("  .reg .pred"), "  .local .align 4 .b8 frame[500000];\n");
  auto module = f.load(text);
  Address const p = f.allocate(8);
  REQUIRE(launch_meet(f, *module, p, 16) == Status::success);
  CHECK(f.context->synchronize() == Status::success);
  CHECK(f.read<std::uint32_t>(p, 1)[0] == 16);
}

TEST_CASE("a cooperative launch begins in a later time slice, and ends in the one that it began in") {
  Fixture f;
  auto module = f.load(meet);
  Address const p = f.allocate(8);
  REQUIRE(launch_meet(f, *module, p, 8, CountedSlice(0)) == Status::not_ready);
  CHECK(f.read<std::uint32_t>(p, 1)[0] == 0);
  CHECK(f.context->resume(CountedSlice(1)) == Status::success);
  CHECK(f.read<std::uint32_t>(p, 1)[0] == 8);
}

TEST_CASE("the memory for the grid's barrier is charged while the launch is under way") {
  QuotaMemory memory(64u << 20);
  Fixture f({.memory_bytes = 64u << 20, .quota = memory.take(0, 1, {1u << 20})});
  auto module = f.load(meet);
  Address const p = f.allocate(8);
  std::uint64_t const used = memory.books.used_bytes(1);
  REQUIRE(launch_meet(f, *module, p, 4, CountedSlice(0)) == Status::not_ready);
  CHECK(memory.books.used_bytes(1) == used + grid_workspace_bytes);
  CHECK(f.context->resume(EndlessSlice()) == Status::success);
  CHECK(memory.books.used_bytes(1) == used);
  f.allocate((1u << 20) - used);
  CHECK(launch_meet(f, *module, p, 4) == Status::out_of_memory);
}
