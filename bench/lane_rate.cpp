// SPDX-License-Identifier: Apache-2.0
// Measures how many lane instructions (one PTX instruction of one thread) the software accelerator executes
// per second on one core, beside the goal of 500 million. Only the instructions of the loops are counted.
#include "domA/device/ptx/parser.h"
#include "domA/device/software/exec/machine/launch.h"
#include "domA/device/software/exec/program.h"
#include "tests/support/time_slices.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace pegasus;
using namespace pegasus::software;

namespace {

constexpr double goal = 500e6;

std::string unrolled(std::string const& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i)
    text += line;
  return text;
}

// Each thread executes `body` 1000 times. p: an array of one 32-bit cell per thread.
std::string kernel(std::string const& body) {
  return R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r0, 0; mov.u32 %r5, %r4; cvt.rn.f32.u32 %f1, %r4; mov.f32 %f2, 0f3F7FFFFF; mov.f32 %f3, 0f3DCCCCCD;
LOOP:
)" + body +
         R"(
  add.s32 %r0, %r0, 1; setp.lt.s32 %p, %r0, 1000; @%p bra LOOP;
  st.global.f32 [%rd3], %f1; st.global.u32 [%rd3], %r5; ret; })";
}

void rate(benchmark::State& state, std::string const& text, double instructions_per_round) {
  auto module = ptx::parse(text);
  if (!module) std::abort();
  Memory memory(std::uint64_t{256} << 20);
  std::vector<ptx::Module> units;
  units.push_back(std::move(*module));
  auto program = Program::build(std::move(units), memory);
  auto const made = (*program)->kernel("k");
  if (!made) {
    state.SkipWithError(made.error().message.c_str());
    return;
  }
  Limits const limits;
  DeviceHeap heap(memory, limits.malloc_heap_bytes);
  Textures const textures;
  constexpr std::uint32_t blocks = 16, threads = 256;
  Address const p = memory.allocate(blocks * threads * 4);
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &p, 8);
  device::Launch launch;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.parameters = parameters;
  for (auto _ : state) {
    Run run(**made, launch, memory, heap, textures, limits);
    (void)run.go_on(testing::EndlessSlice());
    if (run.outcome().status != device::Status::success)
      state.SkipWithError(run.outcome().diagnostic.c_str());
  }
  double const done =
      static_cast<double>(state.iterations()) * blocks * threads * 1000 * (instructions_per_round + 3);
  state.counters["lane_instructions"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["times_goal"] = benchmark::Counter(done / goal, benchmark::Counter::kIsRate);
}

void fused_multiply_add(benchmark::State& state) {
  rate(state, kernel(unrolled("fma.rn.f32 %f1, %f1, %f2, %f3;\n", 32)), 32);
}
void integer_mix(benchmark::State& state) {
  rate(
      state,
      kernel(unrolled("xor.b32 %r6, %r5, %r0; mad.lo.s32 %r5, %r6, 1664525, 1013904223; shr.u32 %r7, %r5, 7; "
                      "add.s32 %r5, %r5, %r7;\n",
                      8)),
      32);
}
void memory_stream(benchmark::State& state) {
  rate(state,
       kernel(unrolled("ld.global.f32 %f1, [%rd3]; add.f32 %f1, %f1, %f3; st.global.f32 [%rd3], %f1;\n", 8)),
       24);
}
void shared_exchange(benchmark::State& state) {
  rate(state, kernel(unrolled("shfl.sync.bfly.b32 %r6, %r5, 1, 31, 0xffffffff; add.s32 %r5, %r5, %r6;\n", 8)),
       16);
}
void divergent_branches(benchmark::State& state) {
  rate(state,
       kernel("and.b32 %r6, %r5, 1; setp.eq.s32 %p, %r6, 0; @%p bra EVEN; add.s32 %r5, %r5, 3; "
              "xor.b32 %r5, %r5, %r0; bra DONE; EVEN: add.s32 %r5, %r5, 5; sub.s32 %r5, %r5, %r0; DONE:"),
       5.5);
}

} // namespace

BENCHMARK(fused_multiply_add)->Unit(benchmark::kMillisecond);
BENCHMARK(integer_mix)->Unit(benchmark::kMillisecond);
BENCHMARK(memory_stream)->Unit(benchmark::kMillisecond);
BENCHMARK(shared_exchange)->Unit(benchmark::kMillisecond);
BENCHMARK(divergent_branches)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
