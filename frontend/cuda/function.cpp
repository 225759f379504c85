// SPDX-License-Identifier: Apache-2.0
// cuFunc*: attributes and names of kernels.
#include "frontend/cuda/function.h"

#include "frontend/cuda/function_attributes.h"
#include "frontend/cuda/module.h"

#include <limits>

namespace pegasus::driver {

namespace {

template <class Body> CUresult with_function(void const* handle, Body body) {
  return with_context([&](Channel& channel, Context&) {
    Function* const function = find_function(handle);
    return function == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(channel, *function);
  });
}

CUresult send_attribute(Channel& channel, Function const& f, CUfunction_attribute number, int value) {
  return ask(channel, pegasus_function_set_attribute_request{f.remote, number, value}).status;
}

CUresult set_cluster_attribute(Channel& channel, Function& f, CUfunction_attribute number, int value) {
  if (attribute(channel, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (value < 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult const status = send_attribute(channel, f, number, value);
  if (status != CUDA_SUCCESS) return status;
  switch (number) {
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    f.large_cluster = value;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    f.cluster_scheduling = value;
    break;
  default:
    f.required_cluster[static_cast<std::size_t>(number - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)] =
        static_cast<unsigned>(value);
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult restore_attributes(Channel& channel, Function const& f) {
  auto const restore = [&](CUfunction_attribute number, int value, int otherwise) {
    return value == otherwise ? CUDA_SUCCESS : send_attribute(channel, f, number, value);
  };
  CUresult status = restore(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f.dynamic_shared_limit,
                            static_cast<int>(f.info.max_dynamic_shared_bytes));
  for (int axis = 0; axis < 3 && status == CUDA_SUCCESS; ++axis)
    status = restore(static_cast<CUfunction_attribute>(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + axis),
                     static_cast<int>(f.required_cluster[static_cast<std::size_t>(axis)]),
                     f.info.required_cluster[axis]);
  if (status == CUDA_SUCCESS)
    status = restore(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, f.large_cluster, 0);
  if (status == CUDA_SUCCESS)
    status = restore(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, f.cluster_scheduling, 0);
  return status;
}

CUresult get_attribute(Function const& f, CUfunction_attribute number, int& value) {
  auto const clamped = [](std::uint64_t n) {
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    return static_cast<int>(n < most ? n : most);
  };
  switch (number) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    value = clamped(f.info.max_threads_per_block);
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    value = clamped(f.info.static_shared_bytes);
    break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    value = clamped(f.info.const_bytes);
    break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    value = clamped(f.info.local_bytes);
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    value = clamped(f.info.registers);
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    value = f.info.ptx_version;
    break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    value = f.info.binary_version;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    value = f.dynamic_shared_limit;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    value = f.carveout;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    value = f.info.cluster_must_be_set;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    value = clamped(f.required_cluster[0]);
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    value = clamped(f.required_cluster[1]);
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    value = clamped(f.required_cluster[2]);
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    value = f.large_cluster;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    value = f.cluster_scheduling;
    break;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    value = 0;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult set_attribute(Channel& channel, Function& f, CUfunction_attribute number, int value) {
  switch (number) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    std::int64_t const room = attribute(channel, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
                              static_cast<std::int64_t>(f.info.static_shared_bytes);
    if (value < 0 || value > room) return CUDA_ERROR_INVALID_VALUE;
    CUresult const status = send_attribute(channel, f, number, value);
    if (status == CUDA_SUCCESS) f.dynamic_shared_limit = value;
    return status;
  }
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: // "only a hint"
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
    f.carveout = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return set_cluster_attribute(channel, f, number, value);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult get_parameter(Function const& f, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (offset == nullptr || index >= f.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = f.parameters[index].offset;
  if (bytes != nullptr) *bytes = f.parameters[index].bytes;
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute number, CUfunction handle) {
  return with_function(handle, [&](Channel&, Function& f) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : get_attribute(f, number, *value);
  });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute number, int value) {
  return with_function(
      handle, [&](Channel& channel, Function& f) { return set_attribute(channel, f, number, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  return with_function(handle, [&](Channel&, Function&) { // "this is only a preference"
    bool const valid = config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL;
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  return with_function(handle, [&](Channel&, Function&) {
    bool const valid = config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                       config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
  return with_function(handle, [&](Channel&, Function& f) {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *module = f.module->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetName(char const** name, CUfunction handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](Channel&, Function& f) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = f.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return with_function(handle, [&](Channel&, Function& f) { return get_parameter(f, index, offset, bytes); });
}

// Functions are loaded at look-up.
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  return with_function(handle, [&](Channel&, Function&) {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction handle) {
  return with_function(handle, [](Channel&, Function&) { return CUDA_SUCCESS; });
}
