// SPDX-License-Identifier: Apache-2.0
// The device and its limits, modules, kernels, the compiler.
#include "tests/fuzz/lying_driver.h"

#include <cstring>

namespace pegasus::fuzz {
namespace {

// What the compiler makes of anything: text that the driver loads, so that it may be kept for other programs.
constexpr char compiled[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
constexpr std::size_t kernel_parameters = 2; // of each kernel, of 8 bytes
constexpr std::uint64_t variable_bytes = 4096;

int odd_int() { return static_cast<int>(static_cast<std::uint32_t>(lying().number())); }

// Fills a buffer for text, with no end.
void write_log(unsigned count, CUjit_option const* options, void* const* values) {
  if (!lying().odd) return;
  char* log = nullptr;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  if (log != nullptr) std::memset(log, 'e', bytes);
}

CUresult load(CUmodule* made, void const* image, unsigned count, CUjit_option* options, void** values) {
  require(lying().have_context && image != nullptr);
  CUresult const result = lying().modules.make(lying(), *made);
  write_log(count, options, values);
  return result;
}

CUresult unload(CUmodule module) {
  if (!lying().modules.known(module)) return CUDA_ERROR_INVALID_HANDLE;
  std::erase_if(lying().functions, [&](auto const& function) { return function.second == module; });
  std::erase_if(lying().given, [&](LyingDriver::Given const& piece) { return piece.module == module; });
  return lying().modules.destroy(lying(), module);
}

CUresult find_function(CUfunction* made, CUmodule module, char const* name) {
  if (!lying().modules.known(module)) return CUDA_ERROR_INVALID_HANDLE;
  if (std::strcmp(name, "none") == 0) return CUDA_ERROR_NOT_FOUND;
  LyingDriver::Objects<CUfunction> one;
  CUresult const result = one.make(lying(), *made);
  if (!one.empty()) lying().functions[*made] = module;
  return result;
}

CUresult find_variable(CUdeviceptr* address, std::size_t* bytes, CUmodule module, char const* name) {
  if (!lying().modules.known(module)) return CUDA_ERROR_INVALID_HANDLE;
  CUresult const result = lying().says_in_context();
  if (result != CUDA_SUCCESS && !lying().odd) return result;
  if (std::strcmp(name, "none") == 0) return CUDA_ERROR_NOT_FOUND;
  bool const odd = lying().odd;
  *address = 0x7100'0000'0000 + 0x10000 * (std::strlen(name) % 8);
  *bytes = odd ? lying().number() : variable_bytes;
  if (odd && !lying().given.empty() && *bytes % 2 == 0)
    *address = lying().given[*bytes % lying().given.size()].base;
  if (odd && *bytes % 3 == 0) *address = lying().number();
  if (result == CUDA_SUCCESS) lying().given.push_back({.base = *address, .bytes = *bytes, .module = module});
  return result;
}

// Returns false for a null handle.
bool is_function(CUfunction function) {
  require(function == nullptr || lying().functions.contains(function));
  return function != nullptr;
}

CUresult launch(CUlaunchConfig const* config, CUfunction function, void**, void** extra) {
  if (!is_function(function) || !lying().is_stream(config->hStream)) return CUDA_ERROR_INVALID_HANDLE;
  require(config->numAttrs == 0 || config->attrs != nullptr);
  for (unsigned i = 0; i < config->numAttrs; ++i)
    require(config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_IGNORE);
  require(extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER && extra[2] == CU_LAUNCH_PARAM_BUFFER_SIZE);
  auto const* const packed = static_cast<std::byte const volatile*>(extra[1]);
  for (std::size_t i = 0; i < *static_cast<std::size_t const*>(extra[3]); ++i)
    (void)packed[i]; // the sanitizer sees each access
  CUresult const result = lying().says_in_context();
  if (result == CUDA_SUCCESS) lying().check_all_scrubbed(config->hStream);
  return result;
}

void add_limits(cuda::Driver& table) {
  table.cuCtxSetLimit = [](CUlimit which, std::size_t value) {
    CUresult const result = lying().says_in_context();
    if (result == CUDA_SUCCESS) lying().limits[which] = value;
    if (result == CUDA_SUCCESS) lying().limit_set = true;
    return result;
  };
  table.cuCtxGetLimit = [](std::size_t* value, CUlimit which) {
    CUresult const result = lying().says_in_context();
    *value = lying().odd ? lying().number() : lying().limits[which];
    return result;
  };
}

void add_device(cuda::Driver& table) {
  table.cuDriverGetVersion = [](int* version) {
    CUresult const result = lying().says();
    *version = lying().odd ? odd_int() : 13000;
    return result;
  };
  table.cuDeviceGetCount = [](int* count) {
    CUresult const result = lying().says();
    *count = lying().odd ? odd_int() : 1;
    return result;
  };
  table.cuDeviceGet = [](CUdevice* device, int) {
    CUresult const result = lying().says();
    *device = lying().odd ? odd_int() : 0;
    return result;
  };
  table.cuDeviceGetName = [](char* name, int bytes, CUdevice) {
    CUresult const result = lying().says();
    std::memset(name, lying().odd ? 'n' : 0, static_cast<std::size_t>(bytes)); // no end
    return result;
  };
  table.cuDeviceGetUuid = [](CUuuid* uuid, CUdevice) {
    CUresult const result = lying().says();
    std::memset(uuid, lying().odd ? odd_int() : 1, sizeof *uuid);
    return result;
  };
  table.cuDeviceTotalMem = [](std::size_t* bytes, CUdevice) {
    CUresult const result = lying().says();
    *bytes = lying().odd ? lying().number() : 64 << 20;
    return result;
  };
  table.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
    CUresult const result = lying().says();
    bool const capability = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
    *value = lying().odd ? odd_int() : capability ? 9 : 1;
    return result;
  };
}

// What the driver compiled lives as long as the link.
void add_compiler(cuda::Driver& table) {
  table.cuLinkCreate = [](unsigned count, CUjit_option* options, void** values, CUlinkState* made) {
    require(lying().have_context);
    CUresult const result = lying().links.make(lying(), *made);
    write_log(count, options, values);
    return result;
  };
  table.cuLinkAddData = [](CUlinkState link, CUjitInputType, void* data, std::size_t bytes, char const*,
                           unsigned, CUjit_option*, void**) {
    if (!lying().links.known(link)) return CUDA_ERROR_INVALID_HANDLE;
    require(bytes != 0 && static_cast<char const*>(data)[bytes - 1] == '\0');
    return lying().says_in_context();
  };
  table.cuLinkComplete = [](CUlinkState link, void** code, std::size_t* bytes) {
    if (!lying().links.known(link)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = lying().says_in_context();
    bool const none = lying().odd;
    *code = none ? nullptr : const_cast<char*>(compiled);
    *bytes = none && result != CUDA_SUCCESS ? lying().number()
             : none                         ? lying().number() % 2 * 100
                                            : sizeof compiled;
    return result;
  };
  table.cuLinkDestroy = [](CUlinkState link) { return lying().links.destroy(lying(), link); };
}

void add_kernels(cuda::Driver& table) {
  table.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction function) {
    if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = lying().says_in_context();
    *value = lying().odd ? odd_int() : which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return result;
  };
  table.cuFuncSetAttribute = [](CUfunction function, CUfunction_attribute, int) {
    return is_function(function) ? lying().says_in_context() : CUDA_ERROR_INVALID_HANDLE;
  };
  table.cuFuncGetParamInfo = [](CUfunction function, std::size_t index, std::size_t* offset,
                                std::size_t* bytes) {
    if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = lying().says_in_context();
    if (lying().odd) {
      *offset = lying().number();
      *bytes = lying().number();
      return result;
    }
    *offset = 8 * index;
    *bytes = 8;
    return index < kernel_parameters ? result : CUDA_ERROR_INVALID_VALUE;
  };
  table.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction function, int, std::size_t) {
    if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = lying().says_in_context();
    *blocks = lying().odd ? odd_int() : 1;
    return result;
  };
  table.cuOccupancyMaxActiveClusters = [](int* value, CUfunction function, CUlaunchConfig const*) {
    if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = lying().says_in_context();
    *value = lying().odd ? odd_int() : 1;
    return result;
  };
  table.cuOccupancyMaxPotentialClusterSize = table.cuOccupancyMaxActiveClusters;
  table.cuTensorMapReplaceAddress = [](CUtensorMap*, void*) { return lying().says(); };
}

} // namespace

void LyingDriver::add_modules(cuda::Driver& table) {
  table.cuModuleLoadDataEx = load;
  table.cuModuleUnload = unload;
  table.cuModuleGetFunction = find_function;
  table.cuModuleGetGlobal = find_variable;
  table.cuLaunchKernelEx = launch;
  add_limits(table);
  add_device(table);
  add_compiler(table);
  add_kernels(table);
}

} // namespace pegasus::fuzz
