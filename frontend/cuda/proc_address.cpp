// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/proc_address.h"

#include "frontend/cuda/cuda_api.h"

#include <algorithm>
#include <iterator>

namespace pegasus::driver {
namespace {

ApiVersion const table[] = {
#define PEGASUS_API(base, version, symbol, per_thread)                                                       \
  {#base,                                                                                                    \
   version,                                                                                                  \
   #symbol,                                                                                                  \
   #per_thread,                                                                                              \
   reinterpret_cast<void*>(&symbol),                                                                         \
   reinterpret_cast<void*>(&per_thread)},
#include "frontend/cuda/api_versions.inc"
#undef PEGASUS_API
};

CUresult get(char const* symbol, void** function, int version, cuuint64_t flags,
             CUdriverProcAddressQueryResult* symbol_status) {
  constexpr cuuint64_t both =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (symbol == nullptr || function == nullptr || (flags & ~both) != 0 || flags == both)
    return CUDA_ERROR_INVALID_VALUE;
  int driver = CUDA_VERSION;
  (void)cuDriverGetVersion(&driver);
  if (version > std::max(driver, CUDA_VERSION)) return CUDA_ERROR_INVALID_VALUE;
  ApiMatch const match = find_api(symbol, version);
  CUdriverProcAddressQueryResult const status = match.api != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                                                : match.name_known
                                                    ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                                    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (symbol_status != nullptr) *symbol_status = status;
  if (match.api == nullptr) { // NVIDIA's driver answers this, although its header says CUDA_SUCCESS
    *function = nullptr;
    return CUDA_ERROR_NOT_FOUND;
  }
  bool const per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *function = per_thread ? match.api->per_thread_function : match.api->function;
  return CUDA_SUCCESS;
}

} // namespace

std::span<ApiVersion const> api_versions() { return table; }

ApiMatch find_api(std::string_view name, int version) {
  auto const before = [](ApiVersion const& api, std::string_view wanted) { return api.name < wanted; };
  auto found = std::lower_bound(std::begin(table), std::end(table), name, before);
  ApiMatch match;
  for (; found != std::end(table) && found->name == name; ++found) {
    match.name_known = true;
    if (found->version <= version) match.api = found;
  }
  return match;
}

} // namespace pegasus::driver

using pegasus::driver::get;

CUresult cuGetProcAddress(char const* symbol, void** function, int version, cuuint64_t flags) {
  return get(symbol, function, version, flags, nullptr);
}

CUresult cuGetProcAddress_v2(char const* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbol_status) {
  return get(symbol, function, version, flags, symbol_status);
}
