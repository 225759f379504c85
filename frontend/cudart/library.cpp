// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Library Management": code loaded at run time. cudaLibrary_t is CUlibrary, and
// the options have the driver's numbers. Its kernels can be launched like the program's own and
// are therefore registered.
#include "frontend/cudart/registry.h"

#include <cstdlib>

using namespace pegasus::cudart;

namespace {

CUjit_option* jit(cudaJitOption* options) { return reinterpret_cast<CUjit_option*>(options); }
CUlibraryOption* option(cudaLibraryOption* options) { return reinterpret_cast<CUlibraryOption*>(options); }

// Removes the kernels' handles before their library is unloaded. `kernels` is nullptr if memory is exhausted.
void forget_kernels(Driver const& driver, CUlibrary library) {
  unsigned count = 0;
  if (driver.cuLibraryGetKernelCount(&count, library) != CUDA_SUCCESS || count == 0) return;
  auto* const kernels = static_cast<CUkernel*>(std::calloc(count, sizeof(CUkernel)));
  if (kernels == nullptr) return;
  if (driver.cuLibraryEnumerateKernels(kernels, count, library) == CUDA_SUCCESS)
    for (unsigned i = 0; i < count; ++i)
      remove_library_kernel(kernels[i]);
  std::free(kernels);
}

} // namespace

PEGASUS_API cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, void const* code,
                                            cudaJitOption* jit_options, void** jit_values, unsigned jit_count,
                                            cudaLibraryOption* options, void** values, unsigned count) {
  if (library == nullptr || code == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    return driver.cuLibraryLoadData(library, code, jit(jit_options), jit_values, jit_count, option(options),
                                    values, count);
  });
}

PEGASUS_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, char const* name,
                                                cudaJitOption* jit_options, void** jit_values,
                                                unsigned jit_count, cudaLibraryOption* options, void** values,
                                                unsigned count) {
  if (library == nullptr || name == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    return driver.cuLibraryLoadFromFile(library, name, jit(jit_options), jit_values, jit_count,
                                        option(options), values, count);
  });
}

PEGASUS_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return with_context([&](Driver const& driver) {
    forget_kernels(driver, library);
    return driver.cuLibraryUnload(library);
  });
}

PEGASUS_API cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, char const* name) {
  if (kernel == nullptr || name == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUkernel found = nullptr;
    CUresult const result = driver.cuLibraryGetKernel(&found, library, name);
    if (result != CUDA_SUCCESS) return from_driver(result);
    if (!add_library_kernel(found)) return cudaErrorMemoryAllocation;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return cudaSuccess;
  });
}

PEGASUS_API cudaError_t cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, cudaLibrary_t library,
                                             char const* name) {
  return with_context([&](Driver const& driver) {
    CUdeviceptr address = 0;
    CUresult const result = driver.cuLibraryGetGlobal(&address, bytes, library, name);
    if (result == CUDA_SUCCESS && pointer != nullptr) *pointer = pointer_to(address);
    return result;
  });
}

PEGASUS_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  if (count == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuLibraryGetKernelCount(count, library); });
}

PEGASUS_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                                    cudaLibrary_t library) {
  if (kernels == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    unsigned available = 0;
    CUresult result = driver.cuLibraryGetKernelCount(&available, library);
    if (result == CUDA_SUCCESS)
      result = driver.cuLibraryEnumerateKernels(reinterpret_cast<CUkernel*>(kernels), count, library);
    if (result != CUDA_SUCCESS) return from_driver(result);
    for (unsigned i = 0; i < count && i < available; ++i)
      if (!add_library_kernel(reinterpret_cast<CUkernel>(kernels[i]))) return cudaErrorMemoryAllocation;
    return cudaSuccess;
  });
}
