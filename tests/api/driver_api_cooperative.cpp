// SPDX-License-Identifier: Apache-2.0
// Checks the documented behaviour of cooperative launches, on a device that has them: all blocks run at the
// same time, and the largest grid is what occupancy says. Run by `pegasus run`. Prints each failed
// expectation, and exits with 1 if there is one.
#include "tests/api/driver_api_kernels.h"

#include <cstdint>

namespace {

using namespace kernels;

// *p counts the blocks. No block ends before all have been counted.
constexpr char meet_ptx[] = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .entry meet(.param .u64 p)
{
  .reg .pred %q<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %q1, %r1, 0;
  @%q1 bra WAIT;
  red.global.add.u32 [%rd2], 1;
WAIT:
  ld.volatile.global.u32 %r2, [%rd2];
  mov.u32 %r3, %nctaid.x;
  setp.lt.u32 %q2, %r2, %r3;
  @%q2 bra WAIT;
  ret;
}
)";

constexpr unsigned threads = 128;

// A counter in device memory, for the parameter of `meet`.
class Counter {
public:
  Counter() { WORKS(cuMemAlloc(&address_, 4)); }
  ~Counter() { WORKS(cuMemFree(address_)); }
  Counter(Counter const&) = delete;
  Counter& operator=(Counter const&) = delete;

  void clear() { WORKS(cuMemsetD32(address_, 0, 1)); }
  std::uint32_t blocks() {
    std::uint32_t value = 0;
    WORKS(cuMemcpyDtoH(&value, address_, 4));
    return value;
  }
  void** parameters() { return parameters_; }

private:
  CUdeviceptr address_ = 0;
  void* parameters_[1] = {&address_};
};

unsigned blocks_at_once(CUfunction function) {
  int processors = 0;
  int blocks = 0;
  WORKS(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  WORKS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0));
  return static_cast<unsigned>(processors * blocks);
}

void by_its_own_function(CUfunction meet, unsigned most) {
  Counter counter;
  counter.clear();
  WORKS(cuLaunchCooperativeKernel(meet, most, 1, 1, threads, 1, 1, 0, nullptr, counter.parameters()));
  EXPECT(counter.blocks() == most);
  GIVES(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        cuLaunchCooperativeKernel(meet, most + 1, 1, 1, threads, 1, 1, 0, nullptr, counter.parameters()));
  WORKS(cuCtxSynchronize());
  EXPECT(counter.blocks() == most);
}

void by_an_attribute(CUfunction meet, unsigned most) {
  Counter counter;
  counter.clear();
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = most;
  config.blockDimX = threads;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  WORKS(cuLaunchKernelEx(&config, meet, counter.parameters(), nullptr));
  EXPECT(counter.blocks() == most);
  config.gridDimX = most + 1;
  GIVES(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        cuLaunchKernelEx(&config, meet, counter.parameters(), nullptr));
}

void in_a_graph(CUfunction meet, unsigned most) {
  Counter counter;
  counter.clear();
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  WORKS(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  WORKS(cuLaunchCooperativeKernel(meet, most, 1, 1, threads, 1, 1, 0, stream, counter.parameters()));
  WORKS(cuStreamEndCapture(stream, &graph));
  WORKS(cuGraphInstantiate(&executable, graph, 0));
  WORKS(cuGraphLaunch(executable, stream));
  WORKS(cuStreamSynchronize(stream));
  EXPECT(counter.blocks() == most);
  WORKS(cuGraphExecDestroy(executable));
  WORKS(cuGraphDestroy(graph));
  WORKS(cuStreamDestroy(stream));
}

} // namespace

int main() {
  WORKS(cuInit(0));
  int possible = 0;
  WORKS(cuDeviceGetAttribute(&possible, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
  EXPECT(possible == 1);
  CUcontext context = nullptr;
  WORKS(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule const module = load(meet_ptx);
  CUfunction const meet = function_of(module, "meet");
  unsigned const most = blocks_at_once(meet);
  EXPECT(most >= 2);
  by_its_own_function(meet, most);
  by_an_attribute(meet, most);
  in_a_graph(meet, most);
  WORKS(cuModuleUnload(module));
  WORKS(cuCtxDestroy(context));
  return expectations::verdict();
}
