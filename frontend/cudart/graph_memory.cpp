// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Graph Management": nodes that allocate and free memory.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

static_assert(sizeof(cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS)); // the same fields

PEGASUS_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 cudaGraphNode_t const* dependencies, std::size_t count,
                                                 cudaMemAllocNodeParams* params) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphAddMemAllocNode(node, graph, dependencies, count,
                                         reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(params));
  });
}
PEGASUS_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphMemAllocNodeGetParams(node, reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(params));
  });
}
PEGASUS_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                cudaGraphNode_t const* dependencies, std::size_t count,
                                                void* pointer) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphAddMemFreeNode(node, graph, dependencies, count, device_address(pointer));
  });
}
PEGASUS_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphMemFreeNodeGetParams(node, static_cast<CUdeviceptr*>(pointer));
  });
}

PEGASUS_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  return with_driver([&](Driver const& driver) { return driver.cuDeviceGraphMemTrim(device); });
}
PEGASUS_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                                       void* value) {
  return with_driver([&](Driver const& driver) {
    return driver.cuDeviceGetGraphMemAttribute(device, static_cast<CUgraphMem_attribute>(attribute), value);
  });
}
PEGASUS_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                                       void* value) {
  return with_driver([&](Driver const& driver) {
    return driver.cuDeviceSetGraphMemAttribute(device, static_cast<CUgraphMem_attribute>(attribute), value);
  });
}
