// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Driver Entry Point Access", and the channel descriptor, which needs no device.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

// If there is no such function, returns success with a null pointer and a status.
cudaError_t entry_point(char const* name, void** function, unsigned version, unsigned long long flags,
                        cudaDriverEntryPointQueryResult* status) {
  if (name == nullptr || function == nullptr) return finish(cudaErrorInvalidValue);
  *function = nullptr;
  return with_driver([&](Driver const& driver) {
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    CUresult const result =
        driver.cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, &found);
    if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    return result == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : result;
  });
}

unsigned long long per_thread_flags(unsigned long long flags) {
  return flags == cudaEnableDefault ? static_cast<unsigned long long>(cudaEnablePerThreadDefaultStream)
                                    : flags;
}

} // namespace

PEGASUS_API cudaError_t cudaGetDriverEntryPoint(char const* name, void** function, unsigned long long flags,
                                                cudaDriverEntryPointQueryResult* status) {
  return entry_point(name, function, runtime_version, flags, status);
}
PEGASUS_API cudaError_t cudaGetDriverEntryPoint_ptsz(char const* name, void** function,
                                                     unsigned long long flags,
                                                     cudaDriverEntryPointQueryResult* status) {
  return entry_point(name, function, runtime_version, per_thread_flags(flags), status);
}
PEGASUS_API cudaError_t cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned version,
                                                         unsigned long long flags,
                                                         cudaDriverEntryPointQueryResult* status) {
  return entry_point(name, function, version, flags, status);
}
PEGASUS_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(char const* name, void** function,
                                                              unsigned version, unsigned long long flags,
                                                              cudaDriverEntryPointQueryResult* status) {
  return entry_point(name, function, version, per_thread_flags(flags), status);
}
