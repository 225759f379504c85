// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/module.h"

#include "frontend/cuda/testing/fixture.h"

#include <cstring>

using namespace pegasus::driver::testing;

TEST_CASE_METHOD(
    Fixture, "parameters that no kernel has, so that a launch would read beyond the program's, are refused") {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&function, module, "too_many") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuModuleGetFunction(&function, module, "overlapping") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(function == nullptr);
}

TEST_CASE_METHOD(Fixture, "functions and variables of a module") {
  CUmodule module = nullptr;
  REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
  CHECK(device.last_image.size() == sizeof ptx - 1);
  CUfunction f = nullptr;
  CUfunction again = nullptr;
  CHECK(cuModuleGetFunction(&f, module, "no_such") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleGetFunction(&f, module, "") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleGetFunction(&f, module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuModuleGetFunction(&f, module, "take_int_pointer") == CUDA_SUCCESS);
  REQUIRE(cuModuleGetFunction(&again, module, "take_int_pointer") == CUDA_SUCCESS);
  CHECK(f == again);
  std::size_t offset = 0;
  std::size_t bytes = 0;
  CHECK(cuFuncGetParamInfo(f, 1, &offset, &bytes) == CUDA_SUCCESS);
  CHECK(offset == 8);
  CHECK(bytes == 8);
  CHECK(cuFuncGetParamInfo(f, 2, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
  char const* name = nullptr;
  CHECK(cuFuncGetName(&name, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuKernelGetName(&name, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuFuncGetName(&name, f) == CUDA_SUCCESS);
  CHECK(std::string(name) == "take_int_pointer");
  int registers = 0;
  CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f) == CUDA_SUCCESS);
  CHECK(registers == 32);

  CUdeviceptr address = 0;
  REQUIRE(cuModuleGetGlobal_v2(&address, &bytes, module, "counter") == CUDA_SUCCESS);
  CHECK(bytes == 16);
  CHECK(cuMemsetD32_v2(address, 7, 4) == CUDA_SUCCESS);
  CHECK(cuMemsetD32_v2(address, 7, 5) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE); // not an allocation
  CHECK(cuModuleGetGlobal_v2(&address, &bytes, module, "absent") == CUDA_ERROR_NOT_FOUND);

  unsigned count = 0;
  CHECK(cuModuleGetFunctionCount(&count, module) == CUDA_SUCCESS);
  CHECK(count == 2);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
  CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(Fixture, "the error log of a refused image") {
  char log[128] = "before";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_MAX_REGISTERS};
  void* values[] = {log, reinterpret_cast<void*>(std::uintptr_t{sizeof log}),
                    reinterpret_cast<void*>(std::uintptr_t{32})};
  CUmodule module = nullptr;
  device.load_status = CUDA_ERROR_INVALID_PTX;
  CHECK(cuModuleLoadDataEx(&module, ptx, 3, options, values) == CUDA_ERROR_INVALID_PTX);
  CHECK(std::strstr(log, "CUDA_ERROR_INVALID_PTX") != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(values[1]) == std::strlen(log));
  device.load_status = 0;
  values[1] = reinterpret_cast<void*>(std::uintptr_t{8});
  CHECK(cuModuleLoadDataEx(&module, ptx, 3, options, values) == CUDA_SUCCESS);
  CHECK(std::strlen(log) == 0);
  CHECK(cuModuleLoadDataEx(&module, ptx, 1, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "what cuLinkComplete returns can be loaded, also when copied") {
  CUlinkState link = nullptr;
  std::string const one = ".version 7.5\n.visible .entry a() { ret; }";
  std::string const two = ".version 7.5\n.visible .entry b() { ret; }";
  REQUIRE(cuLinkCreate_v2(0, nullptr, nullptr, &link) == CUDA_SUCCESS);
  void* image = nullptr;
  std::size_t bytes = 0;
  CHECK(cuLinkComplete(link, &image, &bytes) == CUDA_ERROR_INVALID_IMAGE); // still empty
  auto const add = [&](CUjitInputType type, std::string const& text) {
    return cuLinkAddData_v2(link, type, const_cast<char*>(text.c_str()), text.size() + 1, "x", 0, nullptr,
                            nullptr);
  };
  CHECK(add(CU_JIT_INPUT_PTX, one) == CUDA_SUCCESS);
  CHECK(add(CU_JIT_INPUT_PTX, two) == CUDA_SUCCESS);
  CHECK(add(CU_JIT_INPUT_PTX, "") == CUDA_ERROR_INVALID_PTX);
  CHECK(add(CU_JIT_INPUT_LIBRARY, one) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr) ==
        CUDA_ERROR_FILE_NOT_FOUND);
  REQUIRE(cuLinkComplete(link, &image, &bytes) == CUDA_SUCCESS);
  CUmodule module = nullptr;
  CHECK(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(device.last_image_kind == 2);
  CHECK(device.last_image.size() == bytes);
  unsigned count = 0;
  CHECK(cuModuleGetFunctionCount(&count, module) == CUDA_SUCCESS);
  CHECK(count == 2);
  std::vector<char> const copy(static_cast<char*>(image), static_cast<char*>(image) + bytes);
  CHECK(cuLinkDestroy(link) == CUDA_SUCCESS);
  CHECK(cuLinkDestroy(link) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuModuleLoadData(&module, copy.data()) == CUDA_SUCCESS);
  CHECK(device.last_image.size() == bytes);
}

TEST_CASE_METHOD(Fixture, "a library's kernel is accepted where a function is, and outlives its context") {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  REQUIRE(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) == CUDA_SUCCESS);
  REQUIRE(cuLibraryGetKernel(&kernel, library, "empty") == CUDA_SUCCESS);
  auto const as_function = reinterpret_cast<CUfunction>(kernel);
  CHECK(cuLaunchKernel(as_function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  std::uint64_t const before = device.launches.back().request.function;
  CUfunction f = nullptr;
  REQUIRE(cuKernelGetFunction(&f, kernel) == CUDA_SUCCESS);
  CHECK(f != as_function);
  CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(device.launches.back().request.function == before);
  CUmodule module = nullptr;
  REQUIRE(cuLibraryGetModule(&module, library) == CUDA_SUCCESS);
  CHECK(cuModuleUnload(module) == CUDA_ERROR_NOT_PERMITTED);
  CUlibrary owner = nullptr;
  CHECK(cuKernelGetLibrary(&owner, kernel) == CUDA_SUCCESS);
  CHECK(owner == library);
  CHECK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000, kernel, 0) ==
        CUDA_SUCCESS);

  REQUIRE(cuCtxDestroy_v2(context) == CUDA_SUCCESS); // the last context: the device is reset
  CHECK(device.resets == 1);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  unsigned const loads = device.modules_loaded;
  CHECK(cuLaunchKernel(as_function, 1, 1, 1, 1, 1, 1, 50000, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(device.modules_loaded == loads + 1);
  CHECK(device.launches.back().request.function != before);
  CHECK(cuLibraryUnload(library) == CUDA_SUCCESS);
  CHECK(cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuLaunchKernel(as_function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(Fixture, "a file that is not there, a directory, garbage") {
  CUmodule module = nullptr;
  CHECK(cuModuleLoad(&module, "/no/such/file") == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuModuleLoad(&module, "/") == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuModuleLoad(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuModuleLoadData(&module, "no image at all") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuModuleLoadData(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
}
