// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/launch_attributes.h"

#include "frontend/cuda/testing/fixture.h"

#include <algorithm>
#include <array>
#include <iterator>

using namespace pegasus::driver::testing;

namespace {

// On a device with thread block clusters.
struct WithClusters : Fixture {
  std::array<CUlaunchAttribute, 8> attributes{};
  CUlaunchConfig config{};

  WithClusters() {
    device.set_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1);
    device.set_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9);
    config.gridDimX = config.gridDimY = config.gridDimZ = 8;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.attrs = attributes.data();
  }
  ~WithClusters() { device.set_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 7); }
  CUlaunchAttributeValue& add(CUlaunchAttributeID id) {
    attributes[config.numAttrs].id = id;
    return attributes[config.numAttrs++].value;
  }
  void cluster(unsigned x, unsigned y, unsigned z) {
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {x, y, z};
  }
  CUresult launch(CUfunction f) { return cuLaunchKernelEx(&config, f, nullptr, nullptr); }
};

void set_all(WithClusters& w) {
  w.cluster(2, 1, 4);
  w.add(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim = {4, 1, 4};
  w.add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).clusterSchedulingPolicyPreference =
      CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
  w.add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = -4;
  w.add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  w.add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
  w.add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).memSyncDomainMap = {1, 2};
  w.add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout = static_cast<unsigned>(-1);
}

void check_all(pegasus_launch_attributes const& arrived, std::uint32_t set = PEGASUS_LAUNCH_ALL) {
  CHECK(arrived.set == set);
  CHECK((arrived.cluster[0] == 2 && arrived.cluster[1] == 1 && arrived.cluster[2] == 4));
  CHECK((arrived.preferred_cluster[0] == 4 && arrived.preferred_cluster[2] == 4));
  CHECK(arrived.cluster_scheduling == CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
  CHECK(arrived.priority == -4);
  CHECK(arrived.memory_domain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
  CHECK((arrived.memory_domain_map[0] == 1 && arrived.memory_domain_map[1] == 2));
  CHECK(arrived.carveout == -1);
}

} // namespace

TEST_CASE_METHOD(WithClusters, "every attribute travels with its launch") {
  set_all(*this);
  REQUIRE(launch(kernel("empty")) == CUDA_SUCCESS);
  check_all(device.launches.at(0).attributes);
  CHECK(device.launches[0].request.grid[2] == 8);
  CHECK(device.posts.back() == PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES);
  config.numAttrs = 0;
  REQUIRE(launch(kernel("empty")) == CUDA_SUCCESS);
  CHECK(device.posts.back() == PEGASUS_CALL_LAUNCH);
}

TEST_CASE_METHOD(WithClusters, "a device without clusters gets none, and the hints are ignored") {
  device.set_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
  set_all(*this);
  CHECK(launch(kernel("empty")) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  attributes[0].value.clusterDim = {1, 1, 1};
  CHECK(launch(kernel("empty")) == CUDA_SUCCESS);
  CHECK(device.posts.back() == PEGASUS_CALL_LAUNCH);
}

TEST_CASE_METHOD(WithClusters, "a grid consists of whole clusters of the size that its kernel requires") {
  CUfunction const f = kernel("empty");
  SECTION("no blocks") { cluster(2, 0, 1); }
  SECTION("more than any device has") { cluster(1u << 16, 1, 1); }
  SECTION("a part of one is left") { cluster(1, 3, 1); }
  SECTION("the kernel was compiled for others") {
    cluster(2, 1, 1);
    device.required_cluster = 4;
    CHECK(launch(kernel("empty")) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    config.numAttrs = 0;
    CHECK(launch(kernel("empty")) == CUDA_SUCCESS);
    CHECK(device.launches.size() == 1);
    config.gridDimX = 6;
    CHECK(launch(kernel("empty")) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    return;
  }
  CHECK(launch(f) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(device.launches.empty());
}

TEST_CASE_METHOD(WithClusters, "numbers that CUDA does not have are refused") {
  SECTION("policy") {
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).clusterSchedulingPolicyPreference =
        static_cast<CUclusterSchedulingPolicy>(3);
  }
  SECTION("carveout") { add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout = 101; }
  CHECK(launch(kernel("empty")) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(WithClusters, "a captured launch keeps its attributes, but waits for the one before") {
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  set_all(*this);
  config.hStream = stream;
  REQUIRE(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  REQUIRE(launch(kernel("empty")) == CUDA_SUCCESS);
  REQUIRE(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
  REQUIRE(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
  REQUIRE(cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
  check_all(device.launches.at(0).attributes,
            PEGASUS_LAUNCH_ALL & ~static_cast<std::uint32_t>(PEGASUS_LAUNCH_PROGRAMMATIC));
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(WithClusters, "a node's attributes are set, read and copied") {
  CUgraph graph = nullptr;
  CUgraphNode nodes[2] = {};
  CUfunction const f = kernel("empty");
  CUDA_KERNEL_NODE_PARAMS_v2 params{f, 8, 8, 8, 1, 1, 1, 0, nullptr, nullptr, nullptr, nullptr};
  REQUIRE(cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
  for (CUgraphNode& node : nodes)
    REQUIRE(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
  set_all(*this);
  for (unsigned i = 0; i < config.numAttrs; ++i)
    REQUIRE(cuGraphKernelNodeSetAttribute(nodes[0], attributes[i].id, &attributes[i].value) == CUDA_SUCCESS);
  REQUIRE(cuGraphKernelNodeCopyAttributes(nodes[1], nodes[0]) == CUDA_SUCCESS);
  params.gridDimX = 4;
  REQUIRE(cuGraphKernelNodeSetParams_v2(nodes[1], &params) == CUDA_SUCCESS);
  for (CUgraphNode node : nodes) {
    CUkernelNodeAttrValue value{};
    auto const read = [&](CUlaunchAttributeID id) {
      REQUIRE(cuGraphKernelNodeGetAttribute(node, id, &value) == CUDA_SUCCESS);
      return value;
    };
    CHECK(read(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim.z == 4);
    CHECK(read(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim.x == 4);
    CHECK(read(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority == -4);
    CHECK(
        read(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed ==
        1);
    CHECK(read(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).memSyncDomainMap.remote == 2);
    CHECK(static_cast<int>(read(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout) ==
          -1);
    CHECK(read(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative == 0);
  }
  CUkernelNodeAttrValue odd{};
  odd.clusterDim = {3, 1, 1};
  CHECK(cuGraphKernelNodeSetAttribute(nodes[0], CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &odd) ==
        CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(WithClusters, "a kernel's cluster attributes are the device's, and can be set there") {
  device.required_cluster = 2;
  CUfunction const f = kernel("empty");
  int value = 0;
  REQUIRE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, f) == CUDA_SUCCESS);
  CHECK(value == 2);
  for (CUfunction_attribute const number :
       {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT}) {
    CHECK(cuFuncSetAttribute(f, number, -1) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuFuncSetAttribute(f, number, 1) == CUDA_SUCCESS);
    CHECK(device.function_attributes.back().attribute == number);
    REQUIRE(cuFuncGetAttribute(&value, number, f) == CUDA_SUCCESS);
    CHECK(value == 1);
  }
  device.set_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
  CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) ==
        CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE_METHOD(WithClusters, "the device answers how many clusters fit") {
  CUfunction const f = kernel("empty");
  set_all(*this);
  int value = 0;
  REQUIRE(cuOccupancyMaxActiveClusters(&value, f, &config) == CUDA_SUCCESS);
  CHECK(value == 16);
  REQUIRE(cuOccupancyMaxPotentialClusterSize(&value, f, &config) == CUDA_SUCCESS);
  REQUIRE(device.cluster_questions.size() == 2);
  CHECK(device.cluster_questions[0].question == 1);
  CHECK(device.cluster_questions[1].question == 2);
  check_all(device.cluster_questions[0].attributes);
  CHECK(device.cluster_questions[0].launch.grid[0] == 8);
  CHECK(cuOccupancyMaxActiveClusters(nullptr, f, &config) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuOccupancyMaxActiveClusters(&value, f, nullptr) == CUDA_ERROR_INVALID_VALUE);
  device.set_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
  CHECK(cuOccupancyMaxActiveClusters(&value, f, &config) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(device.cluster_questions.size() == 2);
}
