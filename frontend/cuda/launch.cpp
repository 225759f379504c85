// SPDX-License-Identifier: Apache-2.0
// Launches: everything that CUDA refuses at once is refused here, the rest is one posted request.
#include "frontend/cuda/event.h"
#include "frontend/cuda/launch_check.h"
#include "frontend/cuda/module.h"
#include "frontend/cuda/occupancy.h"
#include "frontend/cuda/stream.h"

#include <cstring>

namespace pegasus::driver {
namespace {

constexpr std::uint32_t cooperative_flag = 1; // struct pegasus_launch_request

constexpr std::size_t stack_bytes = 512; // parameters of nearly every kernel; threads may have small stacks

// From one pointer per parameter, or from the buffer that `extra` names, into one packed buffer.
CUresult gather(Function const& function, void* const* parameters, void* const* extra,
                std::span<std::byte> packed) {
  if (extra == nullptr) {
    if (parameters == nullptr && !function.parameters.empty()) return CUDA_ERROR_INVALID_VALUE;
    std::memset(packed.data(), 0, packed.size()); // the gaps between parameters
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (parameters[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(packed.data() + function.parameters[i].offset, parameters[i], function.parameters[i].bytes);
    }
    return CUDA_SUCCESS;
  }
  void const* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1] != nullptr)
      bytes = *static_cast<std::size_t const*>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes < packed.size() || (buffer == nullptr && !packed.empty())) return CUDA_ERROR_INVALID_VALUE;
  if (!packed.empty()) std::memcpy(packed.data(), buffer, packed.size());
  return CUDA_SUCCESS;
}

CUresult post(Channel& channel, Function const& function, std::uint64_t stream, LaunchShape const& shape,
              bool cooperative, void** parameters, void** extra) {
  std::byte on_stack[stack_bytes];
  std::vector<std::byte> on_heap;
  std::size_t const bytes = function.info.parameter_bytes;
  if (bytes > stack_bytes) on_heap.resize(bytes);
  std::span<std::byte> const packed(bytes > stack_bytes ? on_heap.data() : on_stack, bytes);
  if (CUresult const status = gather(function, parameters, extra, packed); status != CUDA_SUCCESS)
    return status;
  pegasus_launch_request request{};
  request.function = function.remote;
  request.stream = stream;
  for (unsigned axis = 0; axis < 3; ++axis) {
    request.grid[axis] = shape.grid[axis];
    request.block[axis] = static_cast<std::uint16_t>(shape.block[axis]);
  }
  request.parameter_bytes = static_cast<std::uint16_t>(bytes);
  request.dynamic_shared_bytes = shape.dynamic_shared;
  request.flags = cooperative ? cooperative_flag : 0;
  return result(channel.post(request, packed));
}

// All blocks of a cooperative launch must be resident at once.
CUresult check_cooperative(Channel const& channel, Function const& function, LaunchShape const& shape) {
  if (attribute(channel, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) == 0) return CUDA_ERROR_NOT_SUPPORTED;
  std::uint64_t const blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  std::uint64_t const threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  int const resident =
      active_blocks(limits_of(channel), needs_of(function), static_cast<int>(threads), shape.dynamic_shared);
  auto const sms = static_cast<std::uint64_t>(attribute(channel, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  return blocks <= static_cast<std::uint64_t>(resident) * sms ? CUDA_SUCCESS
                                                              : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

CUresult launch(CUfunction handle, LaunchShape const& shape, CUstream stream_handle, void** parameters,
                void** extra, bool cooperative) {
  return with_context([&](Channel& channel, Context& context) {
    Function* const function = find_function(handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::uint64_t stream = 0;
    Context* stream_context = nullptr;
    if (CUresult const status = resolve_stream(channel, stream_handle, stream, &stream_context);
        status != CUDA_SUCCESS)
      return status;
    Context const* const where = stream_context != nullptr ? stream_context : &context;
    if (function->module->context == nullptr) { // a library's kernel runs in any context
      if (CUresult const status = refresh(channel, *function->module); status != CUDA_SUCCESS) return status;
    } else if (function->module->context != where) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (parameters != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_shape(channel, *function, shape); status != CUDA_SUCCESS) return status;
    if (cooperative) {
      if (CUresult const status = check_cooperative(channel, *function, shape); status != CUDA_SUCCESS)
        return status;
    }
    return post(channel, *function, stream, shape, cooperative, parameters, extra);
  });
}

// What a launch's attributes ask for that we must do, or must refuse; the others are hints.
struct Wanted {
  bool cooperative = false;
  CUevent after = nullptr; // to record behind the launch
};

CUresult read_attributes(CUlaunchConfig const& config, Wanted& wanted) {
  if (config.numAttrs != 0 && config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    CUlaunchAttributeValue const& value = config.attrs[i].value;
    switch (config.attrs[i].id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      wanted.cooperative = value.cooperative != 0;
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      if (value.clusterDim.x != 1 || value.clusterDim.y != 1 || value.clusterDim.z != 1)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE; // no thread block clusters before compute capability 9.0
      break;
    // Recorded when the launch is complete: later than a trigger inside the kernel would, which is allowed.
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      wanted.after = value.programmaticEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      wanted.after = value.launchCompletionEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      break;
    }
  }
  return CUDA_SUCCESS;
}

CUresult launch_ex(CUlaunchConfig const* config, CUstream stream, CUfunction handle, void** parameters,
                   void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Wanted wanted;
  if (CUresult const status = read_attributes(*config, wanted); status != CUDA_SUCCESS) return status;
  LaunchShape const shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                          {config->blockDimX, config->blockDimY, config->blockDimZ},
                          config->sharedMemBytes};
  CUresult const status = launch(handle, shape, stream, parameters, extra, wanted.cooperative);
  return status == CUDA_SUCCESS && wanted.after != nullptr ? cuEventRecord(wanted.after, stream) : status;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void** parameters, void** extra) {
  return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared}, stream, parameters, extra, false);
}
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                             unsigned bz, unsigned shared, CUstream stream, void** parameters, void** extra) {
  return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared}, per_thread(stream), parameters, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void** parameters) {
  return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared}, stream, parameters, nullptr, true);
}
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                        void** parameters) {
  return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared}, per_thread(stream), parameters, nullptr, true);
}

CUresult cuLaunchKernelEx(CUlaunchConfig const* config, CUfunction f, void** parameters, void** extra) {
  return launch_ex(config, config == nullptr ? nullptr : config->hStream, f, parameters, extra);
}
CUresult cuLaunchKernelEx_ptsz(CUlaunchConfig const* config, CUfunction f, void** parameters, void** extra) {
  return launch_ex(config, config == nullptr ? nullptr : per_thread(config->hStream), f, parameters, extra);
}
