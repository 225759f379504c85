// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/client_program.h"

#include "frontend/protocol/calls.h"
#include "tests/fuzz/require.h"

#include <algorithm>

namespace pegasus::fuzz {
namespace {

constexpr char ptx[] =
    ".version 7.5\n.target sm_75\n.visible .entry k(.param .u32 a, .param .u64 p) { ret; }\n";
constexpr std::size_t sizes[] = {1, 4, 64, 512, 4096, 16384, 20000, 140000}; // around a quarter of the arena
constexpr std::size_t largest = 140000;

// The library knows only what a worker says about a kernel's parameters. The program's array and what it
// points to are therefore large enough for any kernel.
std::array<std::byte, 2 * PEGASUS_PARAMETER_BYTES_MAX> parameter_bytes;
std::array<void*, PEGASUS_PARAMETERS_MAX> parameter_pointers;

CUdeviceptr address_of(void const* host) { return reinterpret_cast<CUdeviceptr>(host); }

} // namespace

ClientProgram::ClientProgram(Input& input) : input_(input) {
  parameter_pointers.fill(parameter_bytes.data());
}

void ClientProgram::step() {
  using Call = void (ClientProgram::*)();
  constexpr Call calls[] = {&ClientProgram::ask_about_device,
                            &ClientProgram::allocate,
                            &ClientProgram::copy,
                            &ClientProgram::copy_rows,
                            &ClientProgram::fill,
                            &ClientProgram::load,
                            &ClientProgram::find_symbols,
                            &ClientProgram::ask_about_kernel,
                            &ClientProgram::launch,
                            &ClientProgram::use_streams,
                            &ClientProgram::use_events,
                            &ClientProgram::use_library,
                            &ClientProgram::make_graph,
                            &ClientProgram::use_graph,
                            &ClientProgram::synchronize,
                            &ClientProgram::ask_about_memory,
                            &ClientProgram::make_array,
                            &ClientProgram::copy_array,
                            &ClientProgram::use_texture};
  (this->*calls[input_.take<std::uint8_t>() % std::size(calls)])();
}

void ClientProgram::give_up() {
  for (CUgraphExec const exec : graph_execs_)
    (void)cuGraphExecDestroy(exec);
  for (CUgraph const graph : graphs_)
    (void)cuGraphDestroy(graph);
  for (CUlibrary const library : libraries_)
    (void)cuLibraryUnload(library);
}

std::size_t ClientProgram::size() { return sizes[input_.take<std::uint8_t>() % std::size(sizes)]; }

void ClientProgram::ask_about_device() {
  char name[256];
  int value = 0;
  int other = 0;
  CUdevprop properties;
  CUuuid uuid;
  CUdevice device = 0;
  std::size_t width = 0;
  require(cuDeviceGetName(name, 1 + input_.take<std::uint8_t>() % 255, 0) == CUDA_SUCCESS);
  require(memchr(name, '\0', sizeof name) != nullptr);
  (void)cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(input_.take<std::uint8_t>()), 0);
  (void)cuDeviceGetProperties(&properties, 0);
  (void)cuDeviceGetUuid_v2(&uuid, 0);
  if (cuDeviceGetPCIBusId(name, sizeof name, 0) == CUDA_SUCCESS) (void)cuDeviceGetByPCIBusId(&device, name);
  (void)cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0);
  (void)cuCtxGetStreamPriorityRange(&value, &other);
}

void ClientProgram::allocate() {
  auto const index = input_.take<std::uint8_t>() % kept;
  (void)cuMemFree_v2(memory_[index]);
  memory_[index] = 0;
  std::size_t pitch = 1;
  switch (input_.take<std::uint8_t>() % 4) {
  case 0:
    bytes_[index] = size();
    (void)cuMemAllocPitch_v2(&memory_[index], &pitch, bytes_[index], 4, 4);
    break;
  case 1:
    bytes_[index] = size();
    (void)cuMemAllocAsync(&memory_[index], bytes_[index], any(streams_));
    break;
  default:
    bytes_[index] = size();
    (void)cuMemAlloc_v2(&memory_[index], bytes_[index]);
  }
}

// Host memory is as large as the copy says: the sanitizer reports an access beyond it.
void ClientProgram::copy() {
  auto const index = input_.take<std::uint8_t>() % kept;
  CUdeviceptr const device = memory_[index];
  std::vector<std::byte> host(std::max<std::size_t>(bytes_[index], 1));
  if (device == 0) return;
  switch (input_.take<std::uint8_t>() % 7) {
  case 0:
    return (void)cuMemcpyHtoD_v2(device, host.data(), host.size());
  case 1:
    return (void)cuMemcpyDtoH_v2(host.data(), device, host.size());
  case 2:
    return (void)cuMemcpyDtoHAsync_v2(host.data(), device, host.size(), any(streams_));
  case 3:
    return (void)cuMemcpyDtoD_v2(device, any(memory_), host.size());
  case 4:
    return (void)cuMemcpy(device, address_of(host.data()), host.size());
  case 5:
    return (void)cuMemcpy(address_of(host.data()), device, host.size());
  default:
    return (void)cuMemcpyHtoDAsync_v2(device, host.data(), host.size(), any(streams_));
  }
}

void ClientProgram::copy_rows() {
  CUDA_MEMCPY2D box{};
  box.WidthInBytes = size() % 512 + 1;
  box.Height = 1 + input_.take<std::uint8_t>() % 40;
  box.srcPitch = box.WidthInBytes + input_.take<std::uint8_t>();
  box.dstPitch = box.WidthInBytes + input_.take<std::uint8_t>();
  bool const to_host = input_.take<std::uint8_t>() % 2 == 0;
  std::size_t const host_pitch = to_host ? box.dstPitch : box.srcPitch;
  std::vector<std::byte> host(host_pitch * (box.Height - 1) + box.WidthInBytes);
  box.srcMemoryType = to_host ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  box.dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  box.srcDevice = box.dstDevice = any(memory_);
  box.srcHost = box.dstHost = host.data();
  (void)cuMemcpy2D_v2(&box);
}

void ClientProgram::fill() {
  auto const index = input_.take<std::uint8_t>() % kept;
  (void)cuMemsetD8_v2(memory_[index], 1, bytes_[index]);
  (void)cuMemsetD2D32_v2(memory_[index], 512, 1, 1 + input_.take<std::uint8_t>() % 64, 2);
}

void ClientProgram::load() {
  CUmodule& module = any(modules_);
  if (module != nullptr) {
    kernels_.fill(nullptr); // using a kernel of an unloaded module would be the program's mistake
    (void)cuModuleUnload(module);
  }
  module = nullptr;
  (void)cuModuleLoadData(&module, ptx);
}

void ClientProgram::find_symbols() {
  CUmodule const module = any(modules_);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  (void)cuModuleGetFunction(&any(kernels_), module, "k");
  if (cuModuleGetGlobal_v2(&address, &bytes, module, "counter") != CUDA_SUCCESS) return;
  std::byte target[16];
  (void)cuMemcpyDtoH_v2(target, address, sizeof target);
  (void)cuMemcpy(address, address_of(target), sizeof target);
}

CUfunction ClientProgram::kernel() {
  CUfunction& known = any(kernels_);
  if (known == nullptr) {
    CUmodule module = nullptr;
    if (cuModuleLoadData(&module, ptx) == CUDA_SUCCESS) (void)cuModuleGetFunction(&known, module, "k");
  }
  return known;
}

void ClientProgram::ask_about_kernel() {
  CUfunction const function = kernel();
  int value = 0;
  int blocks = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  (void)cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(input_.take<std::uint8_t>() % 16),
                           function);
  (void)cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           input_.take<std::uint16_t>());
  for (std::size_t i = 0; i < 4; ++i)
    (void)cuFuncGetParamInfo(function, i, &offset, &bytes);
  auto const threads = input_.take<std::uint16_t>();
  (void)cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, input_.take<std::uint16_t>());
  (void)cuOccupancyMaxPotentialBlockSize(&blocks, &value, function, nullptr, input_.take<std::uint16_t>(), 0);
  (void)cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, blocks, threads);
}

void ClientProgram::launch() {
  CUfunction const function = kernel();
  CUstream const stream = any(streams_);
  auto const block = 1u + input_.take<std::uint8_t>();
  std::size_t bytes = parameter_bytes.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameter_bytes.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  switch (input_.take<std::uint8_t>() % 3) {
  case 0:
    return (void)cuLaunchKernel(function, 1, 1, 1, block, 1, 1, 0, stream, nullptr, extra);
  case 1:
    return (void)cuLaunchCooperativeKernel(function, block, 1, 1, 32, 1, 1, 0, stream,
                                           parameter_pointers.data());
  default:
    return (void)cuLaunchKernel(function, 1, 1, 1, block, 1, 1, 0, stream, parameter_pointers.data(),
                                nullptr);
  }
}

void ClientProgram::use_streams() {
  CUstream& stream = streams_[1 + input_.take<std::uint8_t>() % (kept - 1)];
  (void)cuStreamQuery(stream);
  (void)cuStreamSynchronize(stream);
  (void)cuStreamWaitEvent(stream, any(events_), 0);
  if (stream != nullptr) (void)cuStreamDestroy_v2(stream);
  stream = nullptr;
  (void)cuStreamCreate(&stream, input_.take<std::uint8_t>() % 2);
}

void ClientProgram::use_events() {
  CUevent& event = any(events_);
  float milliseconds = 0;
  (void)cuEventRecord(event, any(streams_));
  (void)cuEventQuery(event);
  (void)cuEventSynchronize(event);
  (void)cuEventElapsedTime_v2(&milliseconds, event, any(events_));
  if (event != nullptr) (void)cuEventDestroy_v2(event);
  event = nullptr;
  (void)cuEventCreate(&event, 0);
}

void ClientProgram::use_library() {
  CUlibrary& library = any(libraries_);
  CUkernel found = nullptr;
  if (library == nullptr) (void)cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (cuLibraryGetKernel(&found, library, "k") != CUDA_SUCCESS) return;
  (void)cuLaunchKernel(reinterpret_cast<CUfunction>(found), 1, 1, 1, 32, 1, 1, 0, nullptr,
                       parameter_pointers.data(), nullptr);
}

void ClientProgram::make_graph() {
  CUgraph& graph = any(graphs_);
  CUgraphExec& exec = any(graph_execs_);
  if (graph != nullptr) (void)cuGraphDestroy(graph);
  graph = nullptr;
  if (cuGraphCreate(&graph, 0) != CUDA_SUCCESS) return;
  CUcontext context = nullptr;
  CUgraphNode node = nullptr;
  (void)cuCtxGetCurrent(&context);
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.func = kernel();
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimX = launch.blockDimY =
      launch.blockDimZ = 1;
  launch.kernelParams = parameter_pointers.data();
  (void)cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &launch);
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = any(memory_);
  fill.elementSize = 4;
  fill.width = 1 + input_.take<std::uint8_t>();
  fill.height = 1;
  (void)cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context);
  if (exec != nullptr) (void)cuGraphExecDestroy(exec);
  exec = nullptr;
  (void)cuGraphInstantiateWithFlags(&exec, graph, 0);
}

void ClientProgram::use_graph() {
  CUgraphExec const exec = any(graph_execs_);
  (void)cuGraphLaunch(exec, any(streams_));
  (void)cuGraphLaunch(exec, any(streams_));
}

void ClientProgram::synchronize() {
  std::size_t value = 0;
  (void)cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20);
  (void)cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE);
  (void)cuCtxSynchronize();
}

void ClientProgram::ask_about_memory() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  CUdeviceptr base = 0;
  std::uint64_t value = 0;
  (void)cuMemGetInfo_v2(&free_bytes, &total_bytes);
  auto const address = any(memory_) + input_.take<std::uint8_t>();
  (void)cuMemGetAddressRange_v2(&base, &total_bytes, address);
  (void)cuPointerGetAttribute(&value, static_cast<CUpointer_attribute>(1 + input_.take<std::uint8_t>() % 20),
                              address);
}

} // namespace pegasus::fuzz
