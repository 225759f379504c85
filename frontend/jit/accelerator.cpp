// SPDX-License-Identifier: Apache-2.0
#include "frontend/jit/accelerator.h"

#include "frontend/protocol/handshake.h"

#include <cstring>
#include <cuda.h>
#include <dlfcn.h>

namespace pegasus::jit {
namespace {

// The program's libcuda, which need not be ours.
template <class Function> Function* driver(char const* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

bool current_device(CUdevice& device) {
  auto* const of_context = driver<decltype(cuCtxGetDevice)>("cuCtxGetDevice");
  auto* const initialise = driver<decltype(cuInit)>("cuInit");
  auto* const first = driver<decltype(cuDeviceGet)>("cuDeviceGet");
  if (of_context == nullptr || initialise == nullptr || first == nullptr) return false;
  return of_context(&device) == CUDA_SUCCESS ||
         (initialise(0) == CUDA_SUCCESS && first(&device, 0) == CUDA_SUCCESS);
}

} // namespace

bool executes_ptx_only() {
  CUdevice device = 0;
  char name[256] = {};
  auto* const name_of = driver<decltype(cuDeviceGetName)>("cuDeviceGetName");
  return name_of != nullptr && current_device(device) && name_of(name, sizeof name, device) == CUDA_SUCCESS &&
         std::strcmp(name, PEGASUS_SOFTWARE_ACCELERATOR) == 0;
}

} // namespace pegasus::jit
