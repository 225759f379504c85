// SPDX-License-Identifier: Apache-2.0
// Checks the documented behaviour of the CUDA driver API, as a program sees it: contexts, modules, launches,
// errors. Any libcuda.so.1 must pass, with a device of compute capability 7.5 or higher. Run by
// `pegasus run`. Prints each failed expectation, and exits with 1 if there is one.
#include "tests/api/driver_api_kernels.h"
#include "tests/api/driver_api_launches.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace {

using namespace kernels;

void before_initialisation() {
  int count = 0;
  GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
  GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxSynchronize());
  int version = 0;
  WORKS(cuDriverGetVersion(&version));
  EXPECT(version >= 12000);
  char const* text = nullptr;
  WORKS(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT(text != nullptr && std::string(text) == "out of memory");
  GIVES(CUDA_ERROR_INVALID_VALUE, cuInit(7));
  WORKS(cuInit(0));
}

void devices() {
  int count = 0;
  WORKS(cuDeviceGetCount(&count));
  EXPECT(count >= 1);
  CUdevice device = -1;
  WORKS(cuDeviceGet(&device, 0));
  GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, count));
  GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
  char name[64] = "";
  WORKS(cuDeviceGetName(name, 5, 0));
  EXPECT(std::strlen(name) == 4);
  std::size_t memory = 0;
  WORKS(cuDeviceTotalMem(&memory, 0));
  EXPECT(memory > 0);
  int major = 0;
  int minor = 0;
  int by_attribute = 0;
  WORKS(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  WORKS(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  EXPECT(major * 10 + minor >= 75);
  WORKS(cuDeviceGetAttribute(&by_attribute, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT(by_attribute == 32);
  CUuuid first{};
  CUuuid second{};
  WORKS(cuDeviceGetUuid(&first, 0));
  WORKS(cuDeviceGetUuid(&second, 0));
  EXPECT(std::memcmp(&first, &second, sizeof first) == 0);
}

void contexts() {
  CUcontext current = nullptr;
  CUdeviceptr address = 0;
  GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&address, 16));
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  WORKS(cuCtxCreate(&first, nullptr, 0, 0));
  WORKS(cuCtxCreate(&second, nullptr, 0, 0));
  WORKS(cuCtxGetCurrent(&current));
  EXPECT(current == second);
  WORKS(cuCtxPopCurrent(&current));
  EXPECT(current == second);
  WORKS(cuCtxGetCurrent(&current));
  EXPECT(current == first);
  WORKS(cuCtxPushCurrent(second));
  WORKS(cuCtxDestroy(second)); // also pops it
  WORKS(cuCtxGetCurrent(&current));
  EXPECT(current == first);
  WORKS(cuCtxSetCurrent(nullptr));
  WORKS(cuCtxGetCurrent(&current));
  EXPECT(current == nullptr);
  WORKS(cuCtxDestroy(first));

  unsigned flags = 0;
  int active = -1;
  CUcontext primary = nullptr;
  CUcontext again = nullptr;
  WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 0);
  WORKS(cuDevicePrimaryCtxRetain(&primary, 0));
  WORKS(cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT(primary == again);
  WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 1);
  WORKS(cuDevicePrimaryCtxRelease(0));
  WORKS(cuDevicePrimaryCtxRelease(0));
  GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
}

void variables() {
  CUmodule const module = load(scale_ptx);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  WORKS(cuModuleGetGlobal(&address, &bytes, module, "counter"));
  EXPECT(bytes == 16);
  std::uint32_t values[4] = {};
  WORKS(cuMemcpyDtoH(values, address, 16));
  EXPECT(values[0] == 1 && values[3] == 4);
  values[2] = 99;
  WORKS(cuMemcpyHtoD(address, values, 16));
  std::uint32_t third = 0;
  WORKS(cuMemcpyDtoH(&third, address + 8, 4));
  EXPECT(third == 99);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(values, address + 8, 16));
  GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&address, &bytes, module, "not_there"));
  WORKS(cuModuleUnload(module));
}

void libraries() {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  WORKS(cuLibraryLoadData(&library, scale_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  WORKS(cuLibraryGetKernel(&kernel, library, "scale"));
  std::uint32_t value = 7;
  std::uint32_t factor = 2;
  unsigned count = 1;
  CUdeviceptr data = 0;
  WORKS(cuMemAlloc(&data, 4));
  WORKS(cuMemcpyHtoD(data, &value, 4));
  void* parameters[] = {&data, &factor, &count};
  // CUDA: a CUkernel may be cast to CUfunction here
  auto const as_function = reinterpret_cast<CUfunction>(kernel);
  WORKS(cuLaunchKernel(as_function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  WORKS(cuMemcpyDtoH(&value, data, 4));
  EXPECT(value == 14);
  CUfunction function = nullptr;
  WORKS(cuKernelGetFunction(&function, kernel));
  WORKS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  WORKS(cuMemcpyDtoH(&value, data, 4));
  EXPECT(value == 28);
  unsigned kernels = 0;
  WORKS(cuLibraryGetKernelCount(&kernels, library));
  EXPECT(kernels == 2);
  WORKS(cuMemFree(data));
  WORKS(cuLibraryUnload(library));
}

void linking() {
  CUlinkState link = nullptr;
  WORKS(cuLinkCreate(0, nullptr, nullptr, &link));
  auto const add = [&](char const* text) {
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1, "unit", 0,
                         nullptr, nullptr);
  };
  WORKS(add(caller_ptx));
  WORKS(add(callee_ptx));
  void* image = nullptr;
  std::size_t bytes = 0;
  WORKS(cuLinkComplete(link, &image, &bytes));
  EXPECT(bytes > 0);
  CUmodule module = nullptr;
  WORKS(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr));
  WORKS(cuLinkDestroy(link));
  std::uint32_t value = 14;
  CUdeviceptr data = 0;
  WORKS(cuMemAlloc(&data, 4));
  WORKS(cuMemcpyHtoD(data, &value, 4));
  void* parameters[] = {&data};
  WORKS(
      cuLaunchKernel(function_of(module, "call_triple"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  WORKS(cuMemcpyDtoH(&value, data, 4));
  EXPECT(value == 42);
  WORKS(cuMemFree(data));
  WORKS(cuModuleUnload(module));

  char log[512] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUresult const refused =
      cuModuleLoadDataEx(&module, ".version 6.4\n.target sm_75\n.entry broken( {", 2, options, values);
  EXPECT(refused != CUDA_SUCCESS);
  EXPECT(std::strlen(log) > 0);
}

void entry_points() {
  void* function = nullptr;
  void* other = nullptr;
  CUdriverProcAddressQueryResult status{};
  WORKS(cuGetProcAddress("cuCtxCreate", &function, 11040, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  EXPECT(function != nullptr && status == CU_GET_PROC_ADDRESS_SUCCESS);
  WORKS(cuGetProcAddress("cuCtxCreate", &other, 12050, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  EXPECT(other != nullptr && other != function); // _v3 and _v4
  WORKS(cuGetProcAddress("cuMemAlloc", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CUdeviceptr p = 0;
  WORKS(reinterpret_cast<CUresult (*)(CUdeviceptr*, std::size_t)>(function)(&p, 64));
  WORKS(cuMemFree(p));
  WORKS(cuGetProcAddress("cuLaunchKernel", &function, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status));
  WORKS(cuGetProcAddress("cuLaunchKernel", &other, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                         &status));
  EXPECT(function != other);
  (void)cuGetProcAddress("cuThereIsNoSuchFunction", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  EXPECT(function == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

// A later call returns the error, and so does every call after it.
void sticky_errors() {
  CUmodule const module = load(fault_ptx);
  CUfunction const fault = function_of(module, "fault");
  WORKS(cuLaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  CUdeviceptr p = 0;
  GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&p, 16));
  GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuLaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  int count = 0;
  WORKS(cuDeviceGetCount(&count));
}

} // namespace

int main() {
  before_initialisation();
  devices();
  contexts();
  CUcontext context = nullptr;
  WORKS(cuCtxCreate(&context, nullptr, 0, 0));
  launches();
  variables();
  libraries();
  linking();
  entry_points();
  sticky_errors(); // last: no call works after it
  return expectations::verdict();
}
