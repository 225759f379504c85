// SPDX-License-Identifier: Apache-2.0
// A context's life, memory, streams, events and output. Modules: load.cpp. Copies and launches:
// context_work.cpp.
#include "domA/device/cuda/context.h"

#include "domA/device/cuda/stream.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <limits>

namespace pegasus::cuda {
namespace {

constexpr std::size_t diagnostic_bytes_max = 64 * 1024;

// The errors after which a context is of no more use (cuda.h, CUresult).
bool loses_context(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}

bool maps_host_memory(Options const& options) {
  CUdevice device = 0;
  int value = 0;
  options.driver->cuDeviceGet(&device, options.ordinal);
  options.driver->cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, device);
  return value != 0;
}

} // namespace

tl::expected<std::unique_ptr<device::Context>, std::string> make_cuda_context(Options const& options) {
  Driver const& driver = *options.driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult result = driver.cuDeviceGet(&device, options.ordinal);
  if (result == CUDA_SUCCESS) result = driver.cuCtxCreate(&context, nullptr, 0, device);
  if (result != CUDA_SUCCESS)
    return tl::unexpected(fmt::format("no context on GPU {}: {}", options.ordinal, driver.name_of(result)));
  return std::make_unique<CudaContext>(options, context);
}

CudaContext::CudaContext(Options const& options, CUcontext context)
    : options_(options), context_(context),
      queue_(*options.driver, maps_host_memory(options), options.queued_launches, options.executing_since),
      reads_(*options.driver), printed_(options.output_fd) {
  CUdevice device = 0;
  driver().cuDeviceGet(&device, options.ordinal);
  auto const attribute = [&](CUdevice_attribute which) {
    int value = 0;
    driver().cuDeviceGetAttribute(&value, which, device);
    return static_cast<std::uint32_t>(std::max(value, 0));
  };
  multiprocessors_ = std::max(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1u);
  resident_threads_ =
      std::uint64_t{multiprocessors_} * attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  compute_capability_ = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  if (driver().cuStreamCreateWithPriority(&scrubbing_, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
    scrubbing_ = CU_STREAM_LEGACY;               // it waits for the program's own work, then
  if (!charge(0)) lost_ = Status::out_of_memory; // not even the context fits the share
  // Without it copies are staged by the driver: slower, and as good.
  if (!options.pinned.empty())
    pinned_ = driver().cuMemHostRegister(options.pinned.data(), options.pinned.size(), 0) == CUDA_SUCCESS;
}

CudaContext::~CudaContext() {
  queue_.close();
  reads_.close(); // waits: the guest's pages are about to be its own again
  if (pinned_) driver().cuMemHostUnregister(options_.pinned.data());
  driver().cuCtxDestroy(context_); // and the stream in it
  if (options_.memory != nullptr) (void)options_.memory->settle(0);
}

void CudaContext::diagnose(std::string_view text) {
  if (diagnostics_.size() + text.size() < diagnostic_bytes_max)
    diagnostics_ += fmt::format("pegasus: {}\n", text);
}

void CudaContext::note(std::string text) {
  if (notes_left_ == 0) return;
  --notes_left_;
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?'); // names are the guest's
  std::fprintf(stderr, "pegasus-avcpu: %.500s\n", text.c_str());
}

device::Status CudaContext::answer(CUresult result) {
  if (loses_context(result) && lost_ == Status::success) {
    lost_ = status_of(result);
    diagnose(
        fmt::format("the GPU reports {}: this program's device context is lost", driver().name_of(result)));
  }
  return status_of(result);
}

device::Status CudaContext::synchronized(CUresult result) {
  queue_.collect();
  printed_.fetch(printf_bytes_);
  return answer(result);
}

bool CudaContext::charge(std::uint64_t more) {
  std::uint64_t wanted = 0;
  if (__builtin_add_overflow(memory_used(), more, &wanted)) return false;
  return options_.memory == nullptr || options_.memory->settle(wanted);
}

void CudaContext::unloaded(std::uint64_t bytes) {
  module_bytes_ -= bytes;
  settle();
}

device::Status CudaContext::create_stream(std::uint32_t flags, std::int32_t priority,
                                          std::unique_ptr<device::Stream>& stream) {
  if (lost_ != Status::success) return lost_;
  CUstream made = nullptr;
  CUresult const result = driver().cuStreamCreateWithPriority(&made, flags, priority);
  if (result == CUDA_SUCCESS) stream = std::make_unique<CudaStream>(driver(), queue_, made);
  return answer(result);
}

device::Status CudaContext::create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) {
  if (lost_ != Status::success) return lost_;
  if ((flags & CU_EVENT_INTERPROCESS) != 0) return Status::not_supported;
  CUevent made = nullptr;
  CUresult const result = driver().cuEventCreate(&made, flags);
  if (result == CUDA_SUCCESS) event = std::make_unique<CudaEvent>(driver(), made);
  return answer(result);
}

// Scrubbed here and not when it is freed: whoever had it before may have been killed.
device::Status CudaContext::allocate(std::uint64_t bytes, device::Address& address) {
  if (lost_ != Status::success) return lost_;
  if (bytes == 0) return Status::invalid_value;
  if (!charge(bytes)) return Status::out_of_memory;
  CUdeviceptr made = 0;
  CUresult result = driver().cuMemAlloc(&made, bytes);
  if (result == CUDA_SUCCESS) {
    result =
        run(scrubbing_, fills_, bytes, [&] { return driver().cuMemsetD8Async(made, 0, bytes, scrubbing_); });
    if (result == CUDA_SUCCESS) result = driver().cuStreamSynchronize(scrubbing_);
    if (result != CUDA_SUCCESS) driver().cuMemFree(made);
  }
  if (result != CUDA_SUCCESS) {
    settle();
    return answer(result);
  }
  memory_.add(made, bytes, true);
  address = made;
  return Status::success;
}

device::Status CudaContext::free(device::Address address) {
  if (lost_ != Status::success) return lost_;
  if (address == 0) return Status::success;
  if (!memory_.own(address)) return Status::invalid_value;
  CUresult const result = driver().cuMemFree(address);
  if (result == CUDA_SUCCESS) {
    memory_.remove(address);
    settle();
  }
  return synchronized(result); // freeing waits for the device
}

device::Status CudaContext::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  if (lost_ != Status::success) return lost_;
  std::size_t left = 0, total = 0;
  CUresult const result = driver().cuMemGetInfo(&left, &total);
  if (result != CUDA_SUCCESS) return answer(result);
  free_bytes = left;
  total_bytes = total;
  if (options_.memory != nullptr) {
    total_bytes = std::min(total_bytes, options_.memory->total_bytes());
    free_bytes = std::min({free_bytes, options_.memory->free_bytes(), total_bytes});
  }
  return Status::success;
}

device::Status CudaContext::memory_range(device::Address address, device::Range& range) {
  if (lost_ != Status::success) return lost_;
  device::Range const found = memory_.containing(address);
  if (found.bytes == 0) return Status::not_found;
  range = found;
  return Status::success;
}

device::Status CudaContext::stream_query(device::Stream* stream) {
  if (lost_ != Status::success) return lost_;
  return answer(driver().cuStreamQuery(handle_of(stream)));
}

device::Status CudaContext::stream_synchronize(device::Stream* stream) {
  if (lost_ != Status::success) return lost_;
  return synchronized(driver().cuStreamSynchronize(handle_of(stream)));
}

device::Status CudaContext::stream_wait(device::Stream* stream, device::Event& event) {
  if (lost_ != Status::success) return lost_;
  return answer(driver().cuStreamWaitEvent(handle_of(stream), handle_of(event), 0));
}

device::Status CudaContext::event_record(device::Event& event, device::Stream* stream) {
  if (lost_ != Status::success) return lost_;
  return answer(driver().cuEventRecord(handle_of(event), handle_of(stream)));
}

device::Status CudaContext::event_query(device::Event& event) {
  if (lost_ != Status::success) return lost_;
  return answer(driver().cuEventQuery(handle_of(event)));
}

device::Status CudaContext::event_synchronize(device::Event& event) {
  if (lost_ != Status::success) return lost_;
  return synchronized(driver().cuEventSynchronize(handle_of(event)));
}

device::Status CudaContext::event_elapsed(device::Event& start, device::Event& end, float& milliseconds) {
  if (lost_ != Status::success) return lost_;
  return answer(driver().cuEventElapsedTime(&milliseconds, handle_of(start), handle_of(end)));
}

device::Status CudaContext::synchronize() {
  if (lost_ != Status::success) return lost_;
  return synchronized(driver().cuCtxSynchronize());
}

std::uint64_t CudaContext::reserved(CUlimit which, std::uint64_t value) const {
  constexpr std::uint64_t stack = 1024, printf = 1 << 20, heap = 8 << 20; // of a new context
  switch (which) {
  case CU_LIMIT_STACK_SIZE:
    return (std::max(value, stack) - stack) * resident_threads_;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return std::max(value, printf) - printf;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return std::max(value, heap) - heap;
  default:
    return 0;
  }
}

// Those that set memory of this context aside, and a hint for its caches. Others change the device for
// everybody, or are for launches from the device.
device::Status CudaContext::set_limit(std::uint32_t limit, std::uint64_t& value) {
  if (lost_ != Status::success) return lost_;
  auto const which = static_cast<CUlimit>(limit);
  std::uint64_t most = 0;
  switch (which) {
  case CU_LIMIT_STACK_SIZE:
    most = 512 << 10; // CUDA's most local memory for a thread
    break;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    most = std::uint64_t{64} << 20; // kernels' text passes through host memory
    break;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    most = std::uint64_t{1} << 40;
    break;
  case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    most = 128;
    break;
  default:
    return Status::not_supported;
  }
  if (value > most) return Status::invalid_value;
  std::uint64_t const before = limits_[which];
  if (!charge(std::max(reserved(which, value), before) - before)) return Status::out_of_memory;
  CUresult result = driver().cuCtxSetLimit(which, value);
  std::size_t in_force = 0;
  if (result == CUDA_SUCCESS) result = driver().cuCtxGetLimit(&in_force, which);
  if (result == CUDA_SUCCESS) {
    limits_[which] = reserved(which, in_force);
    limit_bytes_ += limits_[which] - before;
    value = in_force;
    if (which == CU_LIMIT_PRINTF_FIFO_SIZE) printf_bytes_ = in_force;
  }
  settle();
  return answer(result);
}

device::Output CudaContext::take_output(std::size_t bytes) {
  using Kind = device::Output::Kind;
  if (printed_.pending()) return {Kind::printf_text, printed_.take(bytes)};
  std::string text = diagnostics_.substr(0, bytes);
  diagnostics_.erase(0, text.size());
  return {Kind::diagnostic, std::move(text)};
}

} // namespace pegasus::cuda
