// SPDX-License-Identifier: Apache-2.0
// Launches: everything that CUDA refuses at once is refused here; the rest is one posted request.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/launch_attributes.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

// Enough for nearly every kernel's parameters; threads may have small stacks.
constexpr std::size_t stack_bytes = 512;

CUresult post(Channel& channel, Function const& function, std::uint64_t stream, LaunchShape const& shape,
              bool cooperative, void** parameters, void** extra) {
  std::byte on_stack[stack_bytes];
  std::vector<std::byte> on_heap;
  std::size_t const bytes = function.info.parameter_bytes;
  if (bytes > stack_bytes) on_heap.resize(bytes);
  std::span<std::byte> const packed(bytes > stack_bytes ? on_heap.data() : on_stack, bytes);
  if (CUresult const status = gather(function, parameters, extra, packed); status != CUDA_SUCCESS)
    return status;
  return with_request(launch_request(function, shape, stream, cooperative), shape,
                      [&](auto const& request) { return result(channel.post(request, packed)); });
}

CUresult launch(CUfunction handle, LaunchShape const& shape, CUstream stream_handle, void** parameters,
                void** extra, bool cooperative) {
  return with_context([&](Channel& channel, Context& context) {
    std::uint64_t stream = 0;
    Context* stream_context = nullptr;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, stream_handle, stream, &stream_context, &captured);
        status != CUDA_SUCCESS)
      return status;
    Context* const where = stream_context != nullptr ? stream_context : &context;
    if (captured) {
      KernelWork work{handle, shape, cooperative, where->handle, {}, {}};
      if (CUresult const status = fill_in(channel, work, parameters, extra); status != CUDA_SUCCESS)
        return status;
      return capture_work(stream_handle, std::move(work));
    }
    Function* function = nullptr;
    if (parameters != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_launch(channel, *where, handle, shape, cooperative, function);
        status != CUDA_SUCCESS)
      return status;
    return post(channel, *function, stream, shape, cooperative, parameters, extra);
  });
}

// The launch attributes, and an event to record behind the launch.
struct LaunchSpec {
  LaunchShape shape;
  bool cooperative = false;
  CUevent after = nullptr;
};

CUresult read_attributes(Channel const& channel, CUlaunchConfig const& config, LaunchSpec& spec) {
  if (config.numAttrs != 0 && config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    CUlaunchAttributeValue const& value = config.attrs[i].value;
    CUresult status = CUDA_SUCCESS;
    switch (config.attrs[i].id) {
    // Recorded when the launch is complete, which is allowed: a trigger inside the kernel would
    // record it earlier.
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      spec.after = value.programmaticEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      spec.after = value.launchCompletionEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      status = set_launch_attribute(channel, config.attrs[i].id, value, spec.shape, spec.cooperative);
    }
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

CUresult launch_ex(CUlaunchConfig const* config, CUstream stream, CUfunction handle, void** parameters,
                   void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LaunchSpec spec{.shape = shape_of(*config)};
  CUresult const read =
      with_driver([&](Channel& channel) { return read_attributes(channel, *config, spec); });
  if (read != CUDA_SUCCESS) return read;
  CUresult const status = launch(handle, spec.shape, stream, parameters, extra, spec.cooperative);
  return status == CUDA_SUCCESS && spec.after != nullptr ? cuEventRecord(spec.after, stream) : status;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void** parameters, void** extra) {
  return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared}, stream, parameters, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void** parameters) {
  return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared}, stream, parameters, nullptr, true);
}

CUresult cuLaunchKernelEx(CUlaunchConfig const* config, CUfunction f, void** parameters, void** extra) {
  return launch_ex(config, config == nullptr ? nullptr : config->hStream, f, parameters, extra);
}
CUresult cuLaunchKernelEx_ptsz(CUlaunchConfig const* config, CUfunction f, void** parameters, void** extra) {
  return launch_ex(config, config == nullptr ? nullptr : per_thread(config->hStream), f, parameters, extra);
}
