// SPDX-License-Identifier: Apache-2.0
// cuModule*: loading, unloading, looking up.
#include "frontend/cuda/jit_options.h"
#include "frontend/cuda/module.h"

namespace pegasus::driver {
namespace {

CUresult load_image(Channel& channel, Context& context, Image image, CUmodule* handle) {
  std::unique_ptr<Module> module;
  CUresult const status = load(channel, &context, std::move(image), module);
  return status == CUDA_SUCCESS ? publish(std::move(module), handle) : status;
}

CUresult load_data(CUmodule* handle, void const* data, JitOptions options) {
  CUresult const outcome = with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr || !options.valid) return CUDA_ERROR_INVALID_VALUE;
    Image image;
    CUresult const status = recognise(data, image);
    return status == CUDA_SUCCESS ? load_image(channel, context, std::move(image), handle) : status;
  });
  options.report(outcome, "load this image");
  return outcome;
}

template <class Body> CUresult with_module(CUmodule handle, Body body) {
  return with_device([&](Channel& channel) {
    Module* const module = find<Module>(handle);
    return module == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(channel, *module);
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuModuleLoad(CUmodule* handle, char const* path) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<std::byte> contents;
    if (CUresult const status = read_file(path, contents); status != CUDA_SUCCESS) return status;
    Image image;
    if (CUresult const status = recognise(contents.data(), image, contents.size()); status != CUDA_SUCCESS)
      return status;
    return load_image(channel, context, std::move(image), handle);
  });
}

CUresult cuModuleLoadData(CUmodule* handle, void const* data) { return load_data(handle, data, {}); }

CUresult cuModuleLoadDataEx(CUmodule* handle, void const* data, unsigned count, CUjit_option* options,
                            void** values) {
  return load_data(handle, data, JitOptions(count, options, values));
}

CUresult cuModuleLoadFatBinary(CUmodule* handle, void const* data) { return load_data(handle, data, {}); }

CUresult cuModuleUnload(CUmodule handle) {
  return with_module(handle, [](Channel& channel, Module& module) {
    if (module.context == nullptr) return CUDA_ERROR_NOT_PERMITTED; // of a library: needs cuLibraryUnload
    destroy(channel, module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, char const* name) {
  return with_module(handle, [&](Channel& channel, Module& module) {
    CUresult status = CUDA_ERROR_INVALID_VALUE;
    Function* const function = out == nullptr ? nullptr : find_function(channel, module, name, status);
    if (function == nullptr) return status;
    *out = function_handle(*function);
    return *out == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule handle, char const* name) {
  return with_module(handle, [&](Channel& channel, Module& module) {
    return find_variable(channel, module, name, address, bytes);
  });
}

// Known for PTX text only; only the worker opens a fatbin or cubin.
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  return with_module(handle, [&](Channel&, Module& module) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!module.entries_known) return CUDA_ERROR_NOT_SUPPORTED;
    *count = static_cast<unsigned>(module.entries.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned room, CUmodule handle) {
  return with_module(handle, [&](Channel& channel, Module& module) {
    if (out == nullptr && room != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!module.entries_known) return CUDA_ERROR_NOT_SUPPORTED;
    for (std::size_t i = 0; i < module.entries.size() && i < room; ++i) {
      CUresult status = CUDA_SUCCESS;
      Function* const function = find_function(channel, module, module.entries[i].c_str(), status);
      if (function == nullptr) return status;
      out[i] = function_handle(*function);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return with_driver([&](Channel&) {
    if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
  });
}
