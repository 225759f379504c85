// SPDX-License-Identifier: Apache-2.0
// The functions that change something on the way to the driver behind: GPUs, contexts,
// fresh memory, modules, launches.
#include "tests/support/wrapped_driver/host_needs.h"
#include "tests/support/wrapped_driver/wrapped.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace pegasus::wrapped;

namespace {

// The driver's device for one of this library's devices, which are plain numbers.
CUdevice device_behind(CUdevice device) {
  CUdevice first = device;
  if (settings().gpus > 0) (void)behind().cuDeviceGet(&first, 0);
  return first;
}

CUresult uuid_of(CUuuid* uuid, CUdevice device) {
  CUresult const result = behind().cuDeviceGetUuid(uuid, device_behind(device));
  if (result == CUDA_SUCCESS && settings().gpus > 0)
    uuid->bytes[15] = static_cast<char>(uuid->bytes[15] ^ device);
  return result;
}

// GPU-00112233-4455-6677-8899-aabbccddeeff, as nvidia-smi prints it.
std::string text_of(CUuuid const& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    std::array<char, 8> byte{};
    std::snprintf(byte.data(), byte.size(), "%s%02x", i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-" : "",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += byte.data();
  }
  return text;
}

// This library's GPUs, by number.
std::vector<CUdevice> visible() {
  std::vector<CUdevice> result;
  for (CUdevice device = 0; device < settings().gpus; ++device) {
    CUuuid uuid{};
    if (settings().visible.empty() ||
        (uuid_of(&uuid, device) == CUDA_SUCCESS && text_of(uuid) == settings().visible))
      result.push_back(device);
  }
  return result;
}

bool is_about_clusters(CUdevice_attribute attribute) {
  return attribute == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH ||
         attribute == CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED;
}

// "launched with 4=2,1,1 8=-3": the attributes' numbers, and the value of those about clusters and of priorities.
void print_attributes(CUlaunchConfig const& how) {
  std::string text = "wrapped driver: launched with";
  for (unsigned i = 0; i < how.numAttrs; ++i) {
    auto const& [id, pad, value] = how.attrs[i];
    text += " " + std::to_string(id);
    if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      text += "=" + std::to_string(value.clusterDim.x) + "," + std::to_string(value.clusterDim.y) + "," +
              std::to_string(value.clusterDim.z);
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) text += "=" + std::to_string(value.priority);
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

void spend_time_compiling() {
  if (settings().compile_ms == 0) return;
  std::fprintf(stderr, "wrapped driver: compiles\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(settings().compile_ms));
}

bool is_machine_code(void const* image) {
  return std::memcmp(image, "\177ELF", 4) == 0 || std::memcmp(image, "PSET", 4) == 0;
}

std::set<CUfunction> failing_kernels;
unsigned failing_launches = 0;

} // namespace

extern "C" {

CUresult cuInit(unsigned) { // the driver behind was initialized when it was loaded
  return behind().cuInit == nullptr ? CUDA_ERROR_NO_DEVICE : start_event_thread();
}

CUresult cuGetErrorName(CUresult error, char const** name) {
  return behind().cuGetErrorName == nullptr ? CUDA_ERROR_NOT_INITIALIZED
                                            : behind().cuGetErrorName(error, name);
}

CUresult cuDeviceGetCount(int* count) {
  CUresult const result = behind().cuDeviceGetCount(count);
  if (result == CUDA_SUCCESS && *count > 0 && settings().gpus > 0)
    *count = static_cast<int>(visible().size());
  return result;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (settings().gpus == 0) return behind().cuDeviceGet(device, ordinal);
  std::vector<CUdevice> const all = visible();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size()) return CUDA_ERROR_INVALID_DEVICE;
  *device = all[static_cast<std::size_t>(ordinal)];
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  CUresult const result = behind().cuDeviceGetName(name, bytes, device_behind(device));
  if (result != CUDA_SUCCESS || settings().gpus == 0) return result;
  std::string const numbered = std::string(name) + " #" + std::to_string(device);
  std::size_t const kept = std::min(numbered.size(), static_cast<std::size_t>(bytes) - 1);
  std::memcpy(name, numbered.data(), kept);
  name[kept] = '\0';
  return result;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return uuid_of(uuid, device); }

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return behind().cuDeviceTotalMem(bytes, device_behind(device));
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  CUresult const result = behind().cuDeviceGetAttribute(value, attribute, device_behind(device));
  if (result == CUDA_SUCCESS && settings().clusters && is_about_clusters(attribute)) *value = 1;
  return result;
}

CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  if (device == settings().dead_gpu && access(settings().dead_while.c_str(), F_OK) == 0)
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  lost() = CUDA_SUCCESS; // a new context is not lost
  CUresult result = behind().cuCtxCreate(context, flags, device_behind(device));
  if (result != CUDA_SUCCESS) return result;
  result = start_context(*context);
  if (result != CUDA_SUCCESS)
    behind().cuCtxDestroy(*context);
  else
    context_made();
  return result;
}

CUresult cuCtxDestroy(CUcontext context) {
  end_context(context);
  context_destroyed();
  return behind().cuCtxDestroy(context);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  static CUcontext last = nullptr;
  if (std::exchange(last, context) != context)
    std::this_thread::sleep_for(std::chrono::microseconds(settings().switch_us));
  return behind().cuCtxSetCurrent(context);
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (lost() != CUDA_SUCCESS) return lost();
  CUresult result = behind().cuMemAlloc(address, bytes);
  if (result != CUDA_SUCCESS || !settings().fill) return result;
  result =
      behind().cuMemsetD32Async(*address, *settings().fill, bytes / sizeof(std::uint32_t), CU_STREAM_LEGACY);
  return result == CUDA_SUCCESS ? behind().cuStreamSynchronize(CU_STREAM_LEGACY) : result;
}

CUresult cuModuleLoadDataEx(CUmodule* module, void const* image, unsigned count, CUjit_option* options,
                            void** values) {
  if (lost() != CUDA_SUCCESS) return lost();
  if (settings().probes) (void)syscall(SYS_getpgid, 0);
  CUresult const compiler = find_compiler();
  if (!is_machine_code(image)) spend_time_compiling();
  return compiler != CUDA_SUCCESS ? compiler
                                  : behind().cuModuleLoadDataEx(module, image, count, options, values);
}

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  CUresult const compiler = find_compiler();
  if (compiler != CUDA_SUCCESS) return compiler;
  spend_time_compiling();
  return behind().cuLinkCreate(count, options, values, state);
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, char const* name) {
  CUresult const result = behind().cuModuleGetFunction(function, module, name);
  if (result != CUDA_SUCCESS) return result;
  if (std::strstr(name, settings().error_kernel.c_str()) != nullptr)
    failing_kernels.insert(*function);
  else
    failing_kernels.erase(*function); // a handle may be reused
  return result;
}

CUresult cuLaunchKernelEx(CUlaunchConfig const* how, CUfunction function, void** parameters, void** packed) {
  if (lost() != CUDA_SUCCESS) return lost();
  CUlaunchConfig plain = *how;
  if (settings().clusters && how->numAttrs > 0) {
    print_attributes(*how);
    plain.numAttrs = 0;
  }
  CUresult const result = behind().cuLaunchKernelEx(&plain, function, parameters, packed);
  if (settings().error != CUDA_SUCCESS && failing_kernels.contains(function) &&
      ++failing_launches >= settings().error_at)
    lost() = settings().error;
  return result;
}

// Clusters of eight blocks, of which eleven fit.
CUresult cuOccupancyMaxActiveClusters(int* count, CUfunction, CUlaunchConfig const*) {
  if (!settings().clusters) return CUDA_ERROR_NOT_SUPPORTED;
  *count = 11;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction, CUlaunchConfig const*) {
  if (!settings().clusters) return CUDA_ERROR_NOT_SUPPORTED;
  *blocks = 8;
  return CUDA_SUCCESS;
}

// Of the descriptor only the address and the rank.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                cuuint64_t const*, cuuint64_t const*, cuuint32_t const*, cuuint32_t const*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  if (!settings().clusters) return CUDA_ERROR_NOT_SUPPORTED;
  map->opaque[0] = reinterpret_cast<std::uintptr_t>(address);
  map->opaque[15] = rank;
  return CUDA_SUCCESS;
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  if (!settings().clusters) return CUDA_ERROR_NOT_SUPPORTED;
  map->opaque[0] = reinterpret_cast<std::uintptr_t>(address);
  return CUDA_SUCCESS;
}

} // extern "C"
