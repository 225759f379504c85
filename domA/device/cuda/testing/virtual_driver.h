// SPDX-License-Identifier: Apache-2.0
// For tests: a driver in virtual time. Its streams take the durations that a test sets; it records launches
// and counts what it loads.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/kernel_time.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pegasus::cuda::testing {

struct Launched {
  std::uint64_t blocks = 0;
  std::vector<CUlaunchAttribute> attributes;
};

struct Timeline {
  Nanos now{0};
  std::map<CUstream, Nanos> free_at; // when the stream's submitted work is done
  std::map<CUevent, Nanos> events;   // when each completes
  std::set<CUevent> untimed;
  unsigned timed_records = 0;
  std::uintptr_t made = 0;
  bool lost = false;
  // Streams that wait for a word in memory.
  bool can_hold = true;
  unsigned holds = 0;
  std::uint32_t word = 0;
  unsigned words = 0; // currently allocated
  std::optional<std::uint32_t> awaited;
  struct Command {
    CUevent event; // to complete; nullptr: a kernel
    Nanos takes;
  };
  std::vector<Command> held; // behind it
  // Fills and copies within the device.
  Nanos fill_takes{1000};
  unsigned fills = 0;
  // Memory.
  CUdeviceptr fresh = 0;
  std::vector<Nanos> freed_at;
  // Streams that wait for events.
  unsigned waits = 0;
  bool can_wait = true;
  // Kernels.
  std::function<Nanos(std::uint64_t blocks)> kernel_takes = [](std::uint64_t) { return Nanos(1000); };
  std::vector<Launched> launched;
  unsigned modules_loaded = 0;
  std::map<CUfunction_attribute, int> function_attributes; // of all functions
  void submit(CUstream on, Command command) {
    if (awaited) return held.push_back(command);
    free_at[on] = std::max(now, free_at[on]) + command.takes;
    if (command.event != nullptr) events[command.event] = free_at[on];
  }
  void look_at_the_word(CUstream on) {
    if (!awaited || word != *awaited) return;
    awaited.reset();
    for (Command const& command : std::exchange(held, {}))
      submit(on, command);
  }
};
inline Timeline* timeline = nullptr; // of the running test

inline CUstream stream(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }

// Each driver call that a module, a function or a launch makes.
inline void add_kernels(Driver& driver) {
  driver.cuModuleLoadDataEx = [](CUmodule* module, void const*, unsigned, CUjit_option*, void**) {
    *module = reinterpret_cast<CUmodule>(std::uintptr_t{++timeline->modules_loaded});
    return CUDA_SUCCESS;
  };
  driver.cuModuleUnload = [](CUmodule) { return CUDA_SUCCESS; };
  driver.cuModuleGetFunction = [](CUfunction* function, CUmodule module, char const*) {
    *function = reinterpret_cast<CUfunction>(module);
    return CUDA_SUCCESS;
  };
  driver.cuFuncGetAttribute = [](int* value, CUfunction_attribute attribute, CUfunction) {
    *value = timeline->function_attributes[attribute];
    return CUDA_SUCCESS;
  };
  driver.cuFuncSetAttribute = [](CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; };
  driver.cuFuncGetParamInfo = [](CUfunction, std::size_t, std::size_t*, std::size_t*) {
    return CUDA_ERROR_INVALID_VALUE; // no parameters
  };
  driver.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction, int, std::size_t) {
    *blocks = 1;
    return CUDA_SUCCESS;
  };
  driver.cuLaunchKernelEx = [](CUlaunchConfig const* config, CUfunction, void**, void**) {
    std::uint64_t const blocks = std::uint64_t{config->gridDimX} * config->gridDimY * config->gridDimZ;
    timeline->launched.push_back({blocks, {config->attrs, config->attrs + config->numAttrs}});
    timeline->submit(config->hStream, {nullptr, timeline->kernel_takes(blocks)});
    return CUDA_SUCCESS;
  };
}

inline Driver driver_in_virtual_time() {
  Driver driver;
  driver.cuEventCreate = [](CUevent* event, unsigned flags) {
    *event = reinterpret_cast<CUevent>(++timeline->made);
    timeline->events[*event] = Nanos::max();
    if ((flags & CU_EVENT_DISABLE_TIMING) != 0) timeline->untimed.insert(*event);
    return CUDA_SUCCESS;
  };
  driver.cuEventDestroy = [](CUevent event) {
    return timeline->events.erase(event) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.cuEventRecord = [](CUevent event, CUstream on) {
    timeline->events[event] = Nanos::max();
    timeline->timed_records += timeline->untimed.contains(event) ? 0 : 1;
    timeline->submit(on, {event, Nanos{0}});
    return CUDA_SUCCESS;
  };
  driver.cuEventQuery = [](CUevent event) {
    if (timeline->lost) return CUDA_ERROR_ILLEGAL_ADDRESS;
    return timeline->events.at(event) <= timeline->now ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  driver.cuEventElapsedTime = [](float* milliseconds, CUevent from, CUevent to) {
    if (timeline->untimed.contains(from) || timeline->untimed.contains(to)) return CUDA_ERROR_INVALID_HANDLE;
    if (std::max(timeline->events.at(from), timeline->events.at(to)) > timeline->now)
      return CUDA_ERROR_NOT_READY;
    *milliseconds =
        std::chrono::duration<float, std::milli>(timeline->events.at(to) - timeline->events.at(from)).count();
    return CUDA_SUCCESS;
  };
  driver.cuStreamQuery = [](CUstream on) {
    return timeline->free_at[on] <= timeline->now ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  driver.cuMemHostAlloc = [](void** memory, std::size_t, unsigned) {
    *memory = &timeline->word;
    ++timeline->words;
    return CUDA_SUCCESS;
  };
  driver.cuMemFreeHost = [](void*) {
    --timeline->words;
    return CUDA_SUCCESS;
  };
  driver.cuMemHostGetDevicePointer = [](CUdeviceptr* address, void*, unsigned) {
    *address = 0x1000;
    return CUDA_SUCCESS;
  };
  driver.cuStreamWaitValue32 = [](CUstream, CUdeviceptr, cuuint32_t value, unsigned) {
    ++timeline->holds;
    if (!timeline->can_hold) return CUDA_ERROR_NOT_SUPPORTED;
    timeline->awaited = value;
    return CUDA_SUCCESS;
  };
  driver.cuStreamCreateWithPriority = [](CUstream* made, unsigned, int) {
    *made = stream(1000 + ++timeline->made);
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorName = [](CUresult, char const** name) {
    *name = "an error";
    return CUDA_SUCCESS;
  };
  driver.cuStreamWaitEvent = [](CUstream on, CUevent event, unsigned) {
    timeline->free_at[on] = std::max(timeline->free_at[on], timeline->events.at(event));
    ++timeline->waits;
    return timeline->can_wait ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.cuEventSynchronize = [](CUevent event) {
    timeline->now = std::max(timeline->now, timeline->events.at(event));
    return CUDA_SUCCESS;
  };
  driver.cuStreamSynchronize = [](CUstream on) {
    timeline->now = std::max(timeline->now, timeline->free_at[on]);
    return CUDA_SUCCESS;
  };
  driver.cuMemcpyHtoDAsync = [](CUdeviceptr, void const*, std::size_t, CUstream on) {
    timeline->submit(on, {nullptr, timeline->fill_takes});
    return CUDA_SUCCESS;
  };
  driver.cuMemcpyDtoHAsync = [](void*, CUdeviceptr, std::size_t, CUstream on) {
    timeline->submit(on, {nullptr, timeline->fill_takes});
    return CUDA_SUCCESS;
  };
  driver.cuMemAlloc = [](CUdeviceptr* address, std::size_t) {
    *address = timeline->fresh += 0x100000;
    return CUDA_SUCCESS;
  };
  driver.cuMemFree = [](CUdeviceptr) {
    timeline->freed_at.push_back(timeline->now);
    return CUDA_SUCCESS;
  };
  driver.cuMemsetD8Async = [](CUdeviceptr, unsigned char, std::size_t, CUstream on) {
    timeline->submit(on, {nullptr, timeline->fill_takes});
    ++timeline->fills;
    return CUDA_SUCCESS;
  };
  driver.cuMemcpyDtoDAsync = [](CUdeviceptr, CUdeviceptr, std::size_t, CUstream on) {
    timeline->submit(on, {nullptr, timeline->fill_takes});
    ++timeline->fills;
    return CUDA_SUCCESS;
  };
  add_kernels(driver);
  return driver;
}

} // namespace pegasus::cuda::testing
