// SPDX-License-Identifier: Apache-2.0
// The calls that the recording driver received, and the results it will return. A test accesses
// it with fake_cuda().
#pragma once

#include <cstddef>
#include <cuda.h>
#include <dlfcn.h>

struct FakeCuda {
  // Recorded.
  unsigned contexts_made;
  unsigned modules_loaded;
  unsigned modules_unloaded;
  unsigned image_parts; // of the last image: 0 for a plain one
  unsigned launches;
  char kernel[64]; // of the last launch
  unsigned grid_x;
  CUstream stream; // of the last launch, copy, fill or wait
  unsigned device_copies;
  unsigned host_to_device;
  unsigned device_to_host;
  unsigned synchronizations;
  unsigned fills;
  CUDA_KERNEL_NODE_PARAMS node_kernel; // of the last graph node that was created or changed
  CUDA_MEMCPY3D node_copy;
  CUDA_MEMSET_NODE_PARAMS node_fill;
  CUgraphNodeParams node_any;
  std::size_t node_dependencies;
  CUcontext node_context;
  CUDA_RESOURCE_DESC texture_resource; // of the last texture or surface
  CUDA_TEXTURE_DESC texture_sampling;
  unsigned box_copies;
  unsigned long long instantiate_flags;
  CUstreamCaptureMode capture_mode;
  // Results to return; once each, except `sticky`.
  CUresult next_load;
  CUresult next_launch;
  CUresult sticky; // returned by every call that uses a context
  bool no_managed_memory;
};

inline FakeCuda& fake_cuda() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  using Get = FakeCuda* (*)();
  auto const get = reinterpret_cast<Get>(dlsym(library, "fake_cuda_state"));
  return *get();
}
