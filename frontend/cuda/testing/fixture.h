// SPDX-License-Identifier: Apache-2.0
// A context over the fake channel for one test; everything is destroyed afterwards.
#pragma once

#include "frontend/cuda/cuda_api.h"
#include "frontend/cuda/testing/fake_channel.h"

#include <catch2/catch.hpp>

namespace pegasus::driver::testing {

inline constexpr char ptx[] =
    ".version 7.5\n.target sm_75\n.visible .entry take_int_pointer(.param .u32 a, .param .u64 p)"
    " { ret; }\n.visible .entry empty() { ret; }\n";

struct Fixture {
  CUcontext context = nullptr;
  FakeChannel& device = fake();

  Fixture() {
    device.launches.clear();
    device.modules_loaded = device.modules_unloaded = device.resets = device.synchronizations = 0;
    device.function_attributes.clear();
    device.cluster_questions.clear();
    device.tensor_maps.clear();
    device.set_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
    device.set_attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 0);
    device.required_cluster = 0;
    device.host_window = 0;
    device.most_allocations = SIZE_MAX;
    device.next_status = device.load_status = device.graph_status = 0;
    REQUIRE(cuInit(0) == CUDA_SUCCESS);
    REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  }
  ~Fixture() {
    (void)cuCtxDestroy_v2(context);
    CUcontext left = nullptr;
    while (cuCtxPopCurrent_v2(&left) == CUDA_SUCCESS)
      ;
  }

  CUdeviceptr allocate(std::size_t bytes) const {
    CUdeviceptr address = 0;
    REQUIRE(cuMemAlloc_v2(&address, bytes) == CUDA_SUCCESS);
    return address;
  }
  CUfunction kernel(char const* name) const {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
    REQUIRE(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
    return function;
  }
};

} // namespace pegasus::driver::testing
