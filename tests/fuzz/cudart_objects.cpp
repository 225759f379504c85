// SPDX-License-Identifier: Apache-2.0
// Streams, events, graphs, the device.
#include "tests/fuzz/cudart_program.h"

#include <array>
#include <cstring>

namespace pegasus::fuzz {
namespace {

std::array<std::byte, 16> graph_source; // is read when the graph is launched

} // namespace

void CudartProgram::use_streams() {
  cudaStream_t& stream = any(streams_);
  Guarded<cudaStream_t> made;
  Guarded<unsigned> flags;
  Guarded<int> priority;
  Guarded<unsigned long long> id;
  (void)answered(cudaStreamQuery(stream));
  (void)answered(cudaStreamSynchronize(stream));
  (void)answered(cudaStreamWaitEvent(stream, any(events_), take<std::uint8_t>() % 2));
  (void)answered(cudaStreamGetFlags(stream, &flags));
  (void)answered(cudaStreamGetPriority(stream, &priority));
  (void)answered(cudaStreamGetId(stream, &id));
  (void)answered(cudaStreamDestroy(stream));
  stream = nullptr;
  if (answered(cudaStreamCreateWithPriority(&made, take<std::uint8_t>() % 3, take<std::int8_t>())) ==
      cudaSuccess)
    stream = made.get();
}

void CudartProgram::use_events() {
  cudaEvent_t& event = any(events_);
  Guarded<cudaEvent_t> made;
  Guarded<float> milliseconds;
  (void)answered(cudaEventRecord(event, any(streams_)));
  (void)answered(cudaEventQuery(event));
  (void)answered(cudaEventElapsedTime(&milliseconds, event, any(events_)));
  (void)answered(cudaEventSynchronize(event));
  (void)answered(cudaEventDestroy(event));
  event = nullptr;
  if (answered(cudaEventCreateWithFlags(&made, take<std::uint8_t>() % 8)) == cudaSuccess) event = made.get();
}

void CudartProgram::make_graph() {
  cudaGraph_t& graph = any(graphs_);
  cudaGraphExec_t& exec = any(graph_execs_);
  Guarded<cudaGraphNode_t> node;
  if (graph != nullptr) (void)answered(cudaGraphDestroy(graph));
  graph = nullptr;
  if (answered(cudaGraphCreate(&graph, 0)) != cudaSuccess) {
    graph = nullptr;
    return;
  }
  cudaKernelNodeParams launch{};
  std::array<std::uint64_t, 1024> values{};
  std::array<void*, 1024> pointers{};
  pointers.fill(values.data());
  launch.func = const_cast<void*>(kernel());
  launch.gridDim = dimensions();
  launch.blockDim = dimensions();
  launch.kernelParams = pointers.data();
  bool const has_kernel = answered(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &launch)) == cudaSuccess;
  if (has_kernel) {
    Guarded<cudaKernelNodeParams> found;
    (void)answered(cudaGraphKernelNodeGetParams(node.get(), &found));
  }
  cudaMemsetParams fill{};
  fill.dst = any(memory_);
  fill.elementSize = take<std::uint8_t>() % 5;
  fill.width = 1 + take<std::uint8_t>();
  fill.height = 1;
  cudaGraphNode_t const before = node.get();
  (void)answered(cudaGraphAddMemsetNode(&node, graph, &before, has_kernel ? 1 : 0, &fill));
  (void)answered(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol(), graph_source.data(),
                                                graph_source.size(), 0, kind(cudaMemcpyHostToDevice)));
  std::array<cudaGraphNode_t, 4> nodes{};
  std::size_t count = take<std::uint8_t>() % 5;
  (void)answered(cudaGraphGetNodes(graph, nodes.data(), &count));
  if (exec != nullptr) (void)answered(cudaGraphExecDestroy(exec));
  exec = nullptr;
  if (answered(cudaGraphInstantiate(&exec, graph, 0)) != cudaSuccess) exec = nullptr;
}

void CudartProgram::use_graph() {
  cudaGraphExec_t const exec = any(graph_execs_);
  Guarded<unsigned long long> flags;
  Guarded<cudaGraphExecUpdateResultInfo> result;
  (void)answered(cudaGraphExecGetFlags(exec, &flags));
  (void)answered(cudaGraphLaunch(exec, any(streams_)));
  (void)answered(cudaGraphExecUpdate(exec, any(graphs_), &result));
  (void)answered(cudaGraphUpload(exec, any(streams_)));
}

void CudartProgram::capture() {
  cudaStream_t const stream = any(streams_);
  Guarded<cudaGraph_t> captured;
  Guarded<cudaStreamCaptureStatus> status;
  (void)answered(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  (void)answered(cudaMemsetAsync(any(memory_), 1, 4, stream));
  launch();
  (void)answered(cudaStreamIsCapturing(stream, &status));
  if (answered(cudaStreamEndCapture(stream, &captured)) == cudaSuccess && captured.get() != nullptr)
    (void)answered(cudaGraphDestroy(captured.get()));
}

void CudartProgram::ask_about_device() {
  Guarded<cudaDeviceProp> properties;
  Guarded<int> value, other;
  constexpr char unwritten = '~';
  Guarded<std::array<char, 16>> id;
  (&id)->fill(unwritten);
  auto const length = 1 + take<std::uint8_t>() % 16;
  int const device = take<std::uint8_t>() < 240 ? 0 : take<std::int32_t>();
  (void)answered(cudaGetDeviceCount(&value));
  (void)answered(cudaSetDevice(device));
  (void)answered(cudaGetDevice(&value));
  if (answered(cudaGetDeviceProperties(&properties, device)) == cudaSuccess) {
    require(std::memchr(properties.get().name, '\0', sizeof properties.get().name) != nullptr);
    (void)answered(cudaChooseDevice(&value, &properties));
  }
  (void)answered(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(take<std::uint8_t>()), device));
  bool const has_id = answered(cudaDeviceGetPCIBusId((&id)->data(), length, device)) == cudaSuccess;
  require(std::all_of(id.get().begin() + length, id.get().end(), [](char c) { return c == unwritten; }));
  if (has_id) (void)answered(cudaDeviceGetByPCIBusId(&value, id.get().data()));
  (void)answered(cudaDeviceGetStreamPriorityRange(&value, &other));
  (void)answered(cudaDriverGetVersion(&value));
}

void CudartProgram::set_limits() {
  auto const limit = static_cast<cudaLimit>(take<std::uint8_t>() % 8);
  Guarded<std::size_t> value;
  Guarded<unsigned> flags;
  (void)answered(cudaDeviceSetLimit(limit, take<std::uint32_t>()));
  (void)answered(cudaDeviceGetLimit(&value, limit));
  (void)answered(cudaGetDeviceFlags(&flags));
  (void)answered(cudaSetDeviceFlags(take<std::uint8_t>()));
}

} // namespace pegasus::fuzz
