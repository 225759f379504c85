// SPDX-License-Identifier: Apache-2.0
// Attributes and preferences of kernels. cudaFuncAttribute has the numbers of CUfunction_attribute.
#include "frontend/cudart/registry.h"

using namespace pegasus::cudart;

namespace {

int attribute(Driver const& driver, CUfunction function, CUfunction_attribute which) {
  int value = 0;
  return driver.cuFuncGetAttribute(&value, which, function) == CUDA_SUCCESS ? value : 0;
}

std::size_t size_attribute(Driver const& driver, CUfunction function, CUfunction_attribute which) {
  int const value = attribute(driver, function, which);
  return value < 0 ? 0 : static_cast<std::size_t>(value);
}

} // namespace

PEGASUS_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* kernel) {
  if (attributes == nullptr) return finish(cudaErrorInvalidValue);
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    int threads = 0;
    CUresult const result =
        driver.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (result != CUDA_SUCCESS) return result;
    auto const get = [&](CUfunction_attribute which) { return attribute(driver, function, which); };
    auto const size = [&](CUfunction_attribute which) { return size_attribute(driver, function, which); };
    *attributes = {};
    attributes->sharedSizeBytes = size(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    attributes->constSizeBytes = size(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    attributes->localSizeBytes = size(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    attributes->maxThreadsPerBlock = threads;
    attributes->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    attributes->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    attributes->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    attributes->cacheModeCA = get(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
    attributes->maxDynamicSharedSizeBytes = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    attributes->preferredShmemCarveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    attributes->clusterDimMustBeSet = get(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
    attributes->requiredClusterWidth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    attributes->requiredClusterHeight = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
    attributes->requiredClusterDepth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
    attributes->clusterSchedulingPolicyPreference =
        get(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
    attributes->nonPortableClusterSizeAllowed = get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
    return CUDA_SUCCESS;
  });
}

PEGASUS_API cudaError_t cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute, int value) {
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuFuncSetAttribute(function, static_cast<CUfunction_attribute>(attribute), value);
  });
}

PEGASUS_API cudaError_t cudaFuncSetCacheConfig(void const* kernel, cudaFuncCache config) {
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuFuncSetCacheConfig(function, static_cast<CUfunc_cache>(config));
  });
}

PEGASUS_API cudaError_t cudaFuncSetSharedMemConfig(void const* kernel, cudaSharedMemConfig config) {
  if (static_cast<unsigned>(config) > static_cast<unsigned>(cudaSharedMemBankSizeEightByte))
    return finish(cudaErrorInvalidValue);
  return with_function(kernel, [](Driver const&, CUfunction) { return cudaSuccess; }); // see limits.cpp
}

PEGASUS_API cudaError_t cudaFuncGetParamInfo(void const* kernel, std::size_t index, std::size_t* offset,
                                             std::size_t* bytes) {
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuFuncGetParamInfo(function, index, offset, bytes);
  });
}

PEGASUS_API cudaError_t cudaFuncGetName(char const** name, void const* kernel) {
  if (name == nullptr) return finish(cudaErrorInvalidValue);
  Symbol* const symbol = find_kernel(kernel);
  if (symbol == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  if (symbol->kind == Symbol::Kind::library_kernel)
    return with_driver([&](Driver const& driver) { return driver.cuKernelGetName(name, symbol->kernel); });
  *name = symbol->name;
  return cudaSuccess;
}

PEGASUS_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void const* kernel) {
  if (function == nullptr) return finish(cudaErrorInvalidValue);
  return with_function(kernel, [&](Driver const&, CUfunction handle) {
    *function = handle;
    return cudaSuccess;
  });
}

// Per device: the device's context need not be current.
PEGASUS_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                                        int value, int ordinal) {
  return with_driver([&](Driver const& driver) {
    CUcontext context = nullptr;
    CUcontext popped = nullptr;
    CUfunction function = nullptr;
    Symbol* const symbol = find_kernel(kernel);
    if (symbol == nullptr) return cudaErrorInvalidResourceHandle;
    if (cudaError_t const error = primary_context(driver, ordinal, context); error != cudaSuccess)
      return error;
    if (CUresult const result = driver.cuCtxPushCurrent_v2(context); result != CUDA_SUCCESS)
      return from_driver(result);
    cudaError_t error = resolve_kernel(driver, context, *symbol, function);
    if (error == cudaSuccess)
      error = from_driver(
          driver.cuFuncSetAttribute(function, static_cast<CUfunction_attribute>(attribute), value));
    driver.cuCtxPopCurrent_v2(&popped);
    return error;
  });
}
