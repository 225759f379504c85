// SPDX-License-Identifier: Apache-2.0
// Libraries: modules that belong to no context. The module is loaded at once, which refuses a bad image at
// once, and again when the device context is a new one. All contexts of the process share its variables.

#include "frontend/cuda/function_attributes.h"
#include "frontend/cuda/jit_options.h"
#include "frontend/cuda/module.h"

namespace pegasus::driver {
namespace {

struct Library {
  using Handle = CUlibrary;
  static constexpr Kind kind = Kind::library;

  CUlibrary handle = nullptr;
  Module* module = nullptr; // owned through its handle: destroy(channel, *module)
};

CUresult load_library(Channel& channel, Image image, CUlibrary* handle) {
  auto library = std::make_unique<Library>();
  std::unique_ptr<Module> module;
  if (CUresult const status = load(channel, nullptr, std::move(image), module); status != CUDA_SUCCESS)
    return status;
  library->module = module.get();
  CUmodule ignored = nullptr;
  if (CUresult const status = publish(std::move(module), &ignored); status != CUDA_SUCCESS) return status;
  library->handle = insert<Library>(library.get());
  if (library->handle == nullptr) {
    destroy(channel, *library->module);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  library->module->library = library->handle;
  *handle = library.release()->handle;
  return CUDA_SUCCESS;
}

// Library calls need an initialised driver but no current context.
template <class Body> CUresult with_library(CUlibrary handle, Body body) {
  return with_driver([&](Channel& channel) {
    if (CUresult const sticky = sticky_error(); sticky != CUDA_SUCCESS) return sticky;
    Library* const library = find<Library>(handle);
    return library == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(channel, *library->module);
  });
}

// Looking up a library's variables and modules needs a current context.
template <class Body> CUresult with_library_in_context(CUlibrary handle, Body body) {
  return with_context([&](Channel&, Context&) { return with_library(handle, body); });
}

template <class Body> CUresult with_kernel(CUkernel handle, Body body) {
  return with_driver([&](Channel& channel) {
    auto* const function = static_cast<Function*>(handles().find(handle, Kind::kernel));
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult const status = refresh(channel, *function->module); status != CUDA_SUCCESS) return status;
    return body(channel, *function);
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuLibraryLoadData(CUlibrary* handle, void const* data, CUjit_option* options, void** values,
                           unsigned count, CUlibraryOption*, void**, unsigned) {
  JitOptions jit(count, options, values);
  CUresult const outcome = with_driver([&](Channel& channel) {
    if (handle == nullptr || !jit.valid) return CUDA_ERROR_INVALID_VALUE;
    Image image;
    CUresult const status = recognise_and_copy(data, image);
    return status == CUDA_SUCCESS ? load_library(channel, std::move(image), handle) : status;
  });
  jit.report(outcome, "load this library");
  return outcome;
}

CUresult cuLibraryLoadFromFile(CUlibrary* handle, char const* path, CUjit_option* options, void** values,
                               unsigned count, CUlibraryOption*, void**, unsigned) {
  JitOptions jit(count, options, values);
  CUresult const outcome = with_driver([&](Channel& channel) {
    if (handle == nullptr || !jit.valid) return CUDA_ERROR_INVALID_VALUE;
    std::vector<std::byte> contents;
    if (CUresult const status = read_file(path, contents); status != CUDA_SUCCESS) return status;
    Image image;
    if (CUresult const status = recognise(contents.data(), image, contents.size()); status != CUDA_SUCCESS)
      return status;
    if (image.owned.empty()) {
      image.owned.assign(image.bytes.begin(), image.bytes.end());
      image.bytes = image.owned;
    }
    return load_library(channel, std::move(image), handle);
  });
  jit.report(outcome, "load this library");
  return outcome;
}

CUresult cuLibraryUnload(CUlibrary handle) {
  return with_driver([&](Channel& channel) {
    std::unique_ptr<Library> const library(erase<Library>(handle));
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    destroy(channel, *library->module);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary handle, char const* name) {
  return with_library(handle, [&](Channel& channel, Module& module) {
    CUresult status = CUDA_ERROR_INVALID_VALUE;
    Function* const function = kernel == nullptr ? nullptr : find_function(channel, module, name, status);
    if (function == nullptr) return status;
    *kernel = kernel_handle(*function);
    return *kernel == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  return with_library(handle, [&](Channel&, Module& module) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!module.entries_known) return CUDA_ERROR_NOT_SUPPORTED;
    *count = static_cast<unsigned>(module.entries.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned room, CUlibrary handle) {
  return with_library(handle, [&](Channel& channel, Module& module) {
    if (kernels == nullptr && room != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!module.entries_known) return CUDA_ERROR_NOT_SUPPORTED;
    for (std::size_t i = 0; i < module.entries.size() && i < room; ++i) {
      CUresult status = CUDA_SUCCESS;
      Function* const function = find_function(channel, module, module.entries[i].c_str(), status);
      if (function == nullptr) return status;
      kernels[i] = kernel_handle(*function);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
  return with_library_in_context(handle, [&](Channel& channel, Module& module) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = module.handle;
    return refresh(channel, module);
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle, char const* name) {
  return with_library_in_context(handle, [&](Channel& channel, Module& module) {
    return find_variable(channel, module, name, address, bytes);
  });
}

// No accelerator here has managed memory, so no library has a usable managed variable.
CUresult cuLibraryGetManaged(CUdeviceptr*, std::size_t*, CUlibrary handle, char const*) {
  return with_library(handle, [](Channel&, Module&) { return CUDA_ERROR_NOT_FOUND; });
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel handle) {
  return with_context([&](Channel&, Context&) {
    return with_kernel(handle, [&](Channel&, Function& function) {
      if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
      *out = function_handle(function);
      return *out == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    });
  });
}

CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
  return with_kernel(handle, [&](Channel&, Function& function) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = function.module->library;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetName(char const** name, CUkernel handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_kernel(handle, [&](Channel&, Function& function) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute number, CUkernel handle, CUdevice device) {
  return with_kernel(handle, [&](Channel&, Function& function) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : get_attribute(function, number, *value);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute number, int value, CUkernel handle, CUdevice device) {
  return with_kernel(handle, [&](Channel& channel, Function& function) {
    return valid_device(device) ? set_attribute(channel, function, number, value) : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device) {
  return with_kernel(handle, [&](Channel&, Function&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    bool const valid = config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL;
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return with_kernel(
      handle, [&](Channel&, Function& function) { return get_parameter(function, index, offset, bytes); });
}
