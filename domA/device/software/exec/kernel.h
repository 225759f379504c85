// SPDX-License-Identifier: Apache-2.0
// One lowered entry, with every function that it can reach.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/exec/code.h"

#include <unordered_map>

namespace pegasus::software {

class Kernel {
public:
  std::string name;
  std::vector<std::unique_ptr<FunctionCode>> functions;              // [0] is the entry
  std::unordered_map<std::uint64_t, FunctionCode const*> by_address; // targets of indirect calls
  device::FunctionInfo info;
  std::uint32_t static_shared_bytes = 0;   // of its variables, as ptxas counts them
  std::uint32_t dynamic_shared_offset = 0; // where dynamic shared memory starts
  bool uses_reserved_shared = false;       // then it is behind all other shared memory of a block
  std::uint32_t memory_ops = 0;            // number of ops that remember the allocation they accessed last
  std::uint32_t local_bytes = 0;           // per thread, for the longest chain of calls
  bool unbounded_stack = false; // recursion or indirect calls: the chain's length is known at run time only
  bool uses_barrier = false;
  std::uint32_t max_threads[3] = {0, 0, 0};
  std::uint32_t required_threads[3] = {0, 0, 0};
};

} // namespace pegasus::software
