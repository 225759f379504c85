// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: captured from streams that fork and join, and built node by node; launched repeatedly,
// changed, and copied. Every result is compared with the same steps on the CPU.
#include "workloads/common.h"

using namespace workload;

// The order matters: a step that runs too early or twice gives other numbers.
__global__ void mix(unsigned* data, unsigned elements, unsigned factor, unsigned summand) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) data[i] = data[i] * factor + summand;
}

__global__ void combine(unsigned const* left, unsigned const* right, unsigned* result, unsigned elements) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) result[i] += left[i] ^ (right[i] * 3u);
}

__device__ unsigned marker;

struct Plan {
  std::uint64_t elements = 4096, launches = 1000, steps = 6;
  unsigned count() const { return static_cast<unsigned>(elements); }
  std::size_t bytes() const { return elements * sizeof(unsigned); }
  dim3 grid() const { return blocks_for(elements, 128); }
};

static std::vector<unsigned> mixed(std::vector<unsigned> values, unsigned factor, unsigned summand) {
  for (unsigned& value : values)
    value = value * factor + summand;
  return values;
}

static void mix_in(Plan const& plan, unsigned* data, unsigned factor, unsigned summand, cudaStream_t stream) {
  mix<<<plan.grid(), 128, 0, stream>>>(data, plan.count(), factor, summand);
  CHECK_CUDA(cudaGetLastError());
}

// A loop of kernels in one stream, and a branch in another stream that forks off and joins again.
static cudaGraph_t capture(Plan const& plan, unsigned* left, unsigned* right, unsigned* result,
                           cudaStream_t stream, cudaStream_t branch, unsigned summand) {
  cudaEvent_t forked, joined;
  CHECK_CUDA(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  mix_in(plan, left, 3, summand, stream);
  CHECK_CUDA(cudaMemcpyAsync(right, left, plan.bytes(), cudaMemcpyDeviceToDevice, stream));
  CHECK_CUDA(cudaEventRecord(forked, stream));
  CHECK_CUDA(cudaStreamWaitEvent(branch, forked, 0));
  for (std::uint64_t step = 0; step < plan.steps; ++step) {
    mix_in(plan, left, 5, static_cast<unsigned>(step), stream);
    mix_in(plan, right, 7, static_cast<unsigned>(step), branch);
  }
  CHECK_CUDA(cudaEventRecord(joined, branch));
  CHECK_CUDA(cudaStreamWaitEvent(stream, joined, 0));
  combine<<<plan.grid(), 128, 0, stream>>>(left, right, result, plan.count());
  CHECK_CUDA(cudaGetLastError());
  cudaGraph_t graph;
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaEventDestroy(forked));
  CHECK_CUDA(cudaEventDestroy(joined));
  return graph;
}

static void captured_on_cpu(Plan const& plan, std::vector<unsigned>& left, std::vector<unsigned>& result,
                            unsigned summand) {
  left = mixed(left, 3, summand);
  std::vector<unsigned> right = left;
  for (std::uint64_t step = 0; step < plan.steps; ++step) {
    left = mixed(left, 5, static_cast<unsigned>(step));
    right = mixed(right, 7, static_cast<unsigned>(step));
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] += left[i] ^ (right[i] * 3u);
}

// Capturing executes nothing. Each launch executes the graph; an update changes what it does.
static std::string fork_and_join(Plan const& plan, std::vector<unsigned> const& input) {
  DeviceArray<unsigned> left(input), right(input), result(input);
  cudaStream_t stream, branch;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&branch, cudaStreamNonBlocking));
  cudaGraph_t const graph = capture(plan, left.get(), right.get(), result.get(), stream, branch, 1);
  std::string mismatch = first_mismatch("while captured", result.download(), input);
  std::size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  if (nodes != 3 + 2 * plan.steps) mismatch = "the graph has " + std::to_string(nodes) + " nodes";

  cudaGraphExec_t exec;
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<unsigned> expected_left = input, expected = input;
  for (int launch = 0; launch < 3; ++launch) {
    CHECK_CUDA(cudaGraphLaunch(exec, launch == 1 ? branch : stream)); // each launch behind the previous one
    captured_on_cpu(plan, expected_left, expected, 1);
  }
  CHECK_CUDA(cudaStreamSynchronize(stream));
  if (mismatch.empty()) mismatch = first_mismatch("captured", result.download(), expected);

  cudaGraph_t const other = capture(plan, left.get(), right.get(), result.get(), stream, branch, 1000);
  cudaGraphExecUpdateResultInfo info;
  CHECK_CUDA(cudaGraphExecUpdate(exec, other, &info));
  CHECK_CUDA(cudaGraphLaunch(exec, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  captured_on_cpu(plan, expected_left, expected, 1000);
  if (mismatch.empty()) mismatch = first_mismatch("updated", result.download(), expected);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaGraphDestroy(other));
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaStreamDestroy(branch));
  return mismatch;
}

struct Sum {
  std::vector<unsigned> const* values;
  unsigned long long total;
  unsigned calls;
};

static void CUDART_CB add_up(void* data) {
  Sum& sum = *static_cast<Sum*>(data);
  for (unsigned const value : *sum.values)
    sum.total += value;
  ++sum.calls;
}

static cudaGraphNode_t add_memset(cudaGraph_t graph, DeviceArray<unsigned> const& target, unsigned value) {
  cudaMemsetParams set{};
  set.dst = target.get();
  set.value = value;
  set.elementSize = sizeof value;
  set.width = target.size();
  set.height = 1;
  cudaGraphNode_t node;
  CHECK_CUDA(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set));
  return node;
}

static cudaKernelNodeParams launch_of(void* kernel, Plan const& plan, void** arguments) {
  cudaKernelNodeParams launch{};
  launch.func = kernel;
  launch.gridDim = plan.grid();
  launch.blockDim = dim3(128);
  launch.kernelParams = arguments;
  return launch;
}

// These copies read and write host memory as it is at the launch.
static cudaGraphNode_t add_upload(cudaGraph_t graph, DeviceArray<unsigned> const& to,
                                  std::vector<unsigned> const& from) {
  cudaGraphNode_t node;
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to.get(), from.data(),
                                      from.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  return node;
}

static cudaGraphNode_t add_download(cudaGraph_t graph, std::vector<unsigned>& to,
                                    DeviceArray<unsigned> const& from, cudaGraphNode_t after) {
  cudaGraphNode_t node;
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&node, graph, &after, 1, to.data(), from.get(),
                                      to.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  return node;
}

// What a launch of the graph that node_by_node() builds leaves in host memory.
static std::vector<unsigned> by_nodes_on_cpu(std::vector<unsigned> const& from, unsigned factor,
                                             unsigned summand, unsigned other) {
  std::vector<unsigned> values = mixed(from, factor, summand);
  for (unsigned& value : values)
    value ^= other * 3u;
  return values;
}

static void launch_and_wait(cudaGraphExec_t exec) {
  CHECK_CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
}

// A clone copies the nodes of the graph, with their first parameters. Destroys both.
static void launch_clone(cudaGraph_t graph) {
  cudaGraph_t clone;
  cudaGraphExec_t exec;
  CHECK_CUDA(cudaGraphClone(&clone, graph));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, clone, 0));
  launch_and_wait(exec);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(clone));
}

// Host memory -> device -> kernel (beside a memset) -> combine -> host memory -> host function;
// and a variable.
static std::string node_by_node(Plan const& plan, std::vector<unsigned> const& input) {
  DeviceArray<unsigned> data(plan.elements), ones(plan.elements), result(plan.elements);
  std::vector<unsigned> from = input, back(plan.elements);
  unsigned mark = 17, elements = plan.count(), factor = 11, summand = 13;
  constexpr unsigned one = 0x01010101;
  Sum sum{&back, 0, 0};
  unsigned *left = data.get(), *right = ones.get(), *to = result.get();
  void* mix_arguments[] = {&left, &elements, &factor, &summand};
  void* combine_arguments[] = {&left, &right, &to, &elements};
  cudaKernelNodeParams const launch = launch_of(reinterpret_cast<void*>(mix), plan, mix_arguments);
  cudaKernelNodeParams const joined = launch_of(reinterpret_cast<void*>(combine), plan, combine_arguments);
  cudaHostNodeParams const call{add_up, &sum};

  cudaGraph_t graph;
  cudaGraphNode_t kernel, both, host, variable;
  CHECK_CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t const upload = add_upload(graph, data, from);
  cudaGraphNode_t const fill = add_memset(graph, ones, one);
  cudaGraphNode_t const clear = add_memset(graph, result, 0);
  CHECK_CUDA(cudaGraphAddKernelNode(&kernel, graph, &upload, 1, &launch));
  cudaGraphNode_t const before[] = {kernel, fill, clear};
  CHECK_CUDA(cudaGraphAddKernelNode(&both, graph, before, 3, &joined));
  cudaGraphNode_t const download = add_download(graph, back, result, both);
  CHECK_CUDA(cudaGraphAddHostNode(&host, graph, &download, 1, &call));
  CHECK_CUDA(cudaGraphAddMemcpyNodeToSymbol(&variable, graph, &host, 1, marker, &mark, sizeof mark, 0,
                                            cudaMemcpyHostToDevice));

  cudaGraphExec_t exec;
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  launch_and_wait(exec);
  std::string mismatch = first_mismatch("node by node", back, by_nodes_on_cpu(from, 11, summand, one));
  unsigned long long const total = sum.total;
  unsigned marked = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&marked, marker, sizeof marked));
  if (sum.calls != 1 || marked != 17) mismatch = "the host function or the variable's copy is missing";

  // Changes the parameters of one node. A launch reads the current contents of host memory.
  factor = 19;
  from[0] += 5;
  CHECK_CUDA(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  launch_and_wait(exec);
  if (mismatch.empty()) mismatch = first_mismatch("changed", back, by_nodes_on_cpu(from, 19, summand, one));
  if (sum.total == total || sum.calls != 2) mismatch = "the host function was not called again";

  launch_clone(graph);
  if (mismatch.empty()) mismatch = first_mismatch("clone", back, by_nodes_on_cpu(from, 11, summand, one));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  return mismatch;
}

// Small kernels in a loop: the purpose of graphs.
static std::string many_launches(Plan const& plan, std::vector<unsigned> const& input, double& seconds) {
  DeviceArray<unsigned> data(input);
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  mix_in(plan, data.get(), 3, 1, stream);
  mix_in(plan, data.get(), 5, 2, stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  Stopwatch const watch;
  for (std::uint64_t launch = 0; launch < plan.launches; ++launch)
    CHECK_CUDA(cudaGraphLaunch(exec, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  seconds = watch.seconds();
  std::vector<unsigned> expected = input;
  for (std::uint64_t launch = 0; launch < plan.launches; ++launch)
    expected = mixed(mixed(std::move(expected), 3, 1), 5, 2);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaStreamDestroy(stream));
  return first_mismatch("launched again and again", data.download(), expected);
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("graphs",
            "Captures and builds CUDA graphs, launches, changes and copies them, and checks each result.")
      .number("--elements", plan.elements, 1, 1u << 20, "elements of the arrays")
      .number("--launches", plan.launches, 1, 1u << 20, "launches of the small graph")
      .number("--steps", plan.steps, 1, 1000, "kernels in each branch of the captured graph")
      .parse(argc, argv);
  std::vector<unsigned> input(plan.elements);
  Random random;
  for (unsigned& value : input)
    value = random.next();
  double seconds = 0;
  std::string mismatch = fork_and_join(plan, input);
  if (mismatch.empty()) mismatch = node_by_node(plan, input);
  if (mismatch.empty()) mismatch = many_launches(plan, input, seconds);
  std::printf("graphs: %.3f us a launch of two kernels\n",
              1e6 * seconds / static_cast<double>(plan.launches));
  return report({"graphs", plan.launches, "launches", seconds}, mismatch);
}
