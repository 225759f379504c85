// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/proc_address.h"

#include "frontend/cuda/cuda_api.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <set>
#include <string>

using pegasus::driver::api_versions;
using pegasus::driver::find_api;

namespace {

std::string symbol_of(char const* name, int version) {
  auto const match = find_api(name, version);
  return match.api == nullptr ? "" : match.api->symbol;
}

struct Answer {
  CUresult result;
  void* function;
  CUdriverProcAddressQueryResult status;
};

Answer ask(char const* name, int version, cuuint64_t flags = 0) {
  Answer answer{CUDA_ERROR_UNKNOWN, &answer, CU_GET_PROC_ADDRESS_SUCCESS};
  answer.result = cuGetProcAddress_v2(name, &answer.function, version, flags, &answer.status);
  return answer;
}

} // namespace

TEST_CASE("the newest variant not newer than the version asked for") {
  CHECK(symbol_of("cuCtxCreate", 2000) == "cuCtxCreate");
  CHECK(symbol_of("cuCtxCreate", 3020) == "cuCtxCreate_v2");
  CHECK(symbol_of("cuCtxCreate", 11039) == "cuCtxCreate_v2");
  CHECK(symbol_of("cuCtxCreate", 11040) == "cuCtxCreate_v3");
  CHECK(symbol_of("cuCtxCreate", 12050) == "cuCtxCreate_v4");
  CHECK(symbol_of("cuCtxCreate", 13000) == "cuCtxCreate_v4");
  CHECK(symbol_of("cuMemAlloc", 12000) == "cuMemAlloc_v2");
  CHECK(symbol_of("cuGetProcAddress", 11030) == "cuGetProcAddress");
  CHECK(symbol_of("cuGetProcAddress", 12000) == "cuGetProcAddress_v2");
  CHECK(symbol_of("cuLaunchKernelEx", 11050) == "");
  CHECK(find_api("cuLaunchKernelEx", 11050).name_known);
  CHECK_FALSE(find_api("cuNoSuchThing", 13000).name_known);
}

TEST_CASE("the table is sorted by name and version, and every row has its functions") {
  auto const rows = api_versions();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].function != nullptr);
    CHECK(rows[i].per_thread_function != nullptr);
    if (i == 0) continue;
    int const order = std::strcmp(rows[i - 1].name, rows[i].name);
    CHECK((order < 0 || (order == 0 && rows[i - 1].version < rows[i].version)));
  }
}

TEST_CASE("the query says what it found") {
  CHECK(ask("cuCtxCreate", 12050).function == reinterpret_cast<void*>(&cuCtxCreate_v4));
  CHECK(ask("cuCtxCreate", 12050).status == CU_GET_PROC_ADDRESS_SUCCESS);

  Answer const unknown = ask("cuNoSuchThing", 13000);
  CHECK(unknown.result == CUDA_ERROR_NOT_FOUND);
  CHECK(unknown.function == nullptr);
  CHECK(unknown.status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  Answer const old = ask("cuLaunchKernelEx", 11050);
  CHECK(old.result == CUDA_ERROR_NOT_FOUND);
  CHECK(old.function == nullptr);
  CHECK(old.status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);

  CHECK(ask("cuInit", 99000).result == CUDA_ERROR_INVALID_VALUE);
  CHECK(ask(nullptr, 13000).result == CUDA_ERROR_INVALID_VALUE);
  CHECK(ask("cuInit", 13000, 3).result == CUDA_ERROR_INVALID_VALUE);
  CHECK(ask("cuInit", 13000, 4).result == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("variants for the per-thread default stream") {
  constexpr cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  CHECK(ask("cuLaunchKernel", 12000).function == reinterpret_cast<void*>(&cuLaunchKernel));
  CHECK(ask("cuLaunchKernel", 12000, per_thread).function == reinterpret_cast<void*>(&cuLaunchKernel_ptsz));
  CHECK(ask("cuMemcpyHtoD", 12000, per_thread).function == reinterpret_cast<void*>(&cuMemcpyHtoD_v2_ptds));
  CHECK(ask("cuMemAlloc", 12000, per_thread).function == reinterpret_cast<void*>(&cuMemAlloc_v2));
}
