// SPDX-License-Identifier: Apache-2.0
// The driver's compiler, with a driver whose answers are wrong.
#include "domA/device/cuda/jit.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace pegasus::cuda;

namespace {

CUresult load_result = CUDA_SUCCESS;
CUmodule loaded_module = nullptr;

Driver driver_that_loads() {
  Driver driver;
  driver.cuModuleLoadDataEx = [](CUmodule* module, void const*, unsigned count, CUjit_option* options,
                                 void** values) {
    *module = loaded_module;
    for (unsigned i = 0; i + 1 < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER && options[i + 1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        std::memset(values[i], 'e', reinterpret_cast<std::size_t>(values[i + 1]));
    return load_result;
  };
  driver.cuLinkCreate = [](unsigned, CUjit_option*, void**, CUlinkState*) { return CUDA_SUCCESS; };
  driver.cuLinkAddData = [](CUlinkState, CUjitInputType, void*, std::size_t, char const*, unsigned,
                            CUjit_option*, void**) { return CUDA_SUCCESS; };
  driver.cuLinkComplete = [](CUlinkState, void** code, std::size_t* bytes) {
    *code = nullptr;
    *bytes = 100;
    return CUDA_SUCCESS;
  };
  driver.cuLinkDestroy = [](CUlinkState) { return CUDA_SUCCESS; };
  return driver;
}

} // namespace

TEST_CASE("messages of the compiler without an end have one") {
  Driver const driver = driver_that_loads();
  Jit jit(driver);
  CUmodule module = nullptr;
  load_result = CUDA_ERROR_INVALID_PTX;
  CHECK(jit.load(module, "text") == CUDA_ERROR_INVALID_PTX);
  CHECK(jit.log() == std::string(8191, 'e'));
}

TEST_CASE("what a call that failed wrote is not a module, and nothing is none") {
  Driver const driver = driver_that_loads();
  Jit jit(driver);
  CUmodule module = nullptr;
  loaded_module = reinterpret_cast<CUmodule>(0xbad);
  load_result = CUDA_ERROR_INVALID_PTX;
  CHECK(jit.load(module, "text") == CUDA_ERROR_INVALID_PTX);
  CHECK(module == nullptr);
  load_result = CUDA_SUCCESS;
  loaded_module = nullptr;
  CHECK(jit.load(module, "text") == CUDA_ERROR_UNKNOWN);
}

TEST_CASE("a link without a result has failed") {
  Driver const driver = driver_that_loads();
  Jit jit(driver);
  CUmodule module = nullptr;
  load_result = CUDA_SUCCESS;
  std::vector<std::string> units{"text"};
  std::vector<std::byte> code;
  CHECK(jit.link(module, units, code) == CUDA_ERROR_UNKNOWN);
  CHECK(code.empty());
}

TEST_CASE("what a link gives is the module that the driver makes of it") {
  Driver driver = driver_that_loads();
  driver.cuLinkComplete = [](CUlinkState, void** code, std::size_t* bytes) {
    static char cubin[] = "code";
    *code = cubin;
    *bytes = sizeof cubin;
    return CUDA_SUCCESS;
  };
  Jit jit(driver);
  CUmodule module = nullptr;
  load_result = CUDA_SUCCESS;
  loaded_module = reinterpret_cast<CUmodule>(0x600d);
  std::vector<std::string> units{"text"};
  std::vector<std::byte> code;
  CHECK(jit.link(module, units, code) == CUDA_SUCCESS);
  CHECK(module == loaded_module);
  CHECK(code.size() == sizeof "code");
}
