// SPDX-License-Identifier: Apache-2.0
// A kernel. Two handles may refer to it: a CUfunction, and for the kernel of a library a CUkernel. CUDA
// accepts either where it says CUfunction.
#pragma once

#include "frontend/cuda/context.h"
#include "frontend/cuda/deprecated_launch.h"
#include "frontend/protocol/calls.h"

#include <array>
#include <string>
#include <vector>

namespace pegasus::driver {

struct Module;

struct Function {
  Module* module = nullptr;
  std::string name;
  std::atomic<CUfunction> handle = nullptr;
  std::atomic<CUkernel> kernel = nullptr;

  std::uint64_t remote = 0;
  pegasus_module_function_reply info{};
  std::vector<pegasus_parameter> parameters;
  std::atomic<int> dynamic_shared_limit = 0; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  std::atomic<int> carveout = -1;            // CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, a hint
  // On devices with thread block clusters. The size that each launch must have, in blocks; 0: any.
  std::array<std::atomic<unsigned>, 3> required_cluster{};
  std::atomic<int> large_cluster = 0;      // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
  LaunchState deprecated;                  // of cuLaunch
  std::atomic<int> cluster_scheduling = 0; // CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
};

// `handle` is a CUfunction or CUkernel. Returns nullptr if it is neither.
inline Function* find_function(void const* handle) {
  Kind const kind = handles().kind_of(handle);
  if (kind != Kind::function && kind != Kind::kernel) return nullptr;
  return static_cast<Function*>(handles().find(handle, kind));
}

// Creates the handle at the first call.
CUfunction function_handle(Function& function);
CUkernel kernel_handle(Function& function);

} // namespace pegasus::driver
