// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that records calls and keeps "device memory" on the heap. It implements what the tests use;
// the library under test must handle a driver that lacks the rest.
#include "frontend/cudart/testing/fake_cuda.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

std::mutex lock; // tests launch from several threads
FakeCuda recorded{};
thread_local CUcontext current = nullptr;
int primary_cell = 0;
unsigned primary_flags = 0;
std::map<std::string, int> functions; // handles are the addresses of the names
std::map<std::string, std::array<char, 64>> variables;

CUcontext primary() { return reinterpret_cast<CUcontext>(&primary_cell); }
void* bytes_at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
CUresult take(CUresult& one_shot) {
  CUresult const answer = one_shot;
  one_shot = CUDA_SUCCESS;
  return answer;
}

} // namespace

extern "C" {

FakeCuda* fake_cuda_state();
FakeCuda* fake_cuda_state() { return &recorded; }

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "recording device", static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  std::memset(uuid, 7, sizeof *uuid);
  return CUDA_SUCCESS;
}
// The value of each attribute is its number plus 1000: a field filled from the wrong attribute is detected.
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = 1000 + static_cast<int>(attribute);
  if (attribute == CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY && recorded.no_managed_memory) *value = 0;
  return attribute < CU_DEVICE_ATTRIBUTE_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ++recorded.contexts_made;
  *context = primary();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) {
  recorded.sticky = CUDA_SUCCESS;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned flags) {
  primary_flags = flags;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = primary_flags;
  *active = 1;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  ++recorded.synchronizations;
  return recorded.sticky;
}

CUresult cuModuleLoadData(CUmodule* module, void const* image) {
  std::uint32_t words[2];
  std::memcpy(words, image, sizeof words);
  recorded.image_parts = words[0] == 0x54455350u ? words[1] : 0; // struct pegasus_image_set
  ++recorded.modules_loaded;
  if (std::getenv("FAKE_CUDA_TRACE") != nullptr)
    std::fprintf(stderr, "image parts: %u\n", recorded.image_parts);
  *module = reinterpret_cast<CUmodule>(&recorded);
  return take(recorded.next_load);
}
CUresult cuModuleUnload(CUmodule) {
  ++recorded.modules_unloaded;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, char const* name) {
  std::lock_guard const guard(lock);
  if (std::strstr(name, "missing") != nullptr) return CUDA_ERROR_NOT_FOUND;
  auto const known = functions.emplace(name, 0).first;
  *function = reinterpret_cast<CUfunction>(const_cast<std::string*>(&known->first));
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule, char const* name) {
  if (std::strstr(name, "missing") != nullptr) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(variables[name].data());
  *bytes = 64;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream stream, void**, void**) {
  std::lock_guard const guard(lock);
  std::strncpy(recorded.kernel, reinterpret_cast<std::string const*>(function)->c_str(),
               sizeof recorded.kernel - 1);
  ++recorded.launches;
  recorded.grid_x = x;
  recorded.stream = stream;
  return recorded.sticky != CUDA_SUCCESS ? recorded.sticky : take(recorded.next_launch);
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  *address = bytes > (std::size_t{1} << 30) ? 0 : reinterpret_cast<CUdeviceptr>(std::calloc(1, bytes));
  return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : recorded.sticky;
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return cuMemAlloc_v2(address, bytes);
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  std::free(bytes_at(address));
  return recorded.sticky;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr target, void const* source, std::size_t bytes) {
  ++recorded.host_to_device;
  std::memcpy(bytes_at(target), source, bytes);
  return recorded.sticky;
}
CUresult cuMemcpyDtoH_v2(void* target, CUdeviceptr source, std::size_t bytes) {
  ++recorded.device_to_host;
  std::memcpy(target, bytes_at(source), bytes);
  return recorded.sticky;
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  ++recorded.device_copies;
  std::memcpy(bytes_at(target), bytes_at(source), bytes);
  return recorded.sticky;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, void const* source, std::size_t bytes, CUstream stream) {
  recorded.stream = stream;
  return cuMemcpyHtoD_v2(target, source, bytes);
}
CUresult cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  recorded.stream = stream;
  return cuMemcpyDtoH_v2(target, source, bytes);
}
CUresult cuMemsetD8_v2(CUdeviceptr target, unsigned char byte, std::size_t bytes) {
  ++recorded.fills;
  std::memset(bytes_at(target), byte, bytes);
  return recorded.sticky;
}
CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char byte, std::size_t bytes, CUstream stream) {
  recorded.stream = stream;
  return cuMemsetD8_v2(target, byte, bytes);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr target, std::size_t pitch, unsigned char byte, std::size_t width,
                         std::size_t height) {
  ++recorded.fills;
  for (std::size_t row = 0; row < height; ++row)
    std::memset(bytes_at(target + row * pitch), byte, width);
  return recorded.sticky;
}
CUresult cuStreamSynchronize(CUstream stream) {
  ++recorded.synchronizations;
  recorded.stream = stream;
  return recorded.sticky;
}

} // extern "C"
