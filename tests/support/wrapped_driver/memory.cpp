// SPDX-License-Identifier: Apache-2.0
// What memory costs: contexts that take some of the device's, host memory that cannot be registered.
#include "tests/support/wrapped_driver/wrapped.h"

#include <algorithm>

using namespace pegasus::wrapped;

namespace {

std::size_t contexts = 0;

} // namespace

void pegasus::wrapped::context_made() { ++contexts; }
void pegasus::wrapped::context_destroyed() {
  if (contexts > 0) --contexts;
}

extern "C" {

CUresult cuMemGetInfo(std::size_t* left, std::size_t* total) {
  if (lost() != CUDA_SUCCESS) return lost();
  CUresult const result = behind().cuMemGetInfo(left, total);
  std::size_t const taken = contexts * settings().context_mib << 20;
  if (result == CUDA_SUCCESS) *left -= std::min(*left, taken);
  return result;
}

CUresult cuMemHostRegister(void* address, std::size_t bytes, unsigned flags) {
  return settings().unpinned ? CUDA_ERROR_NOT_PERMITTED : behind().cuMemHostRegister(address, bytes, flags);
}

} // extern "C"
