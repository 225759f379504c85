// SPDX-License-Identifier: Apache-2.0
// Nodes that allocate and free memory, and what graphs have of it.
#include "frontend/cuda/graph/graph_edit.h"
#include "frontend/cuda/graph/graph_memory.h"

#include <algorithm>

using namespace pegasus::driver;

namespace {

bool on_our_device(CUmemLocation const& place) {
  return place.type == CU_MEM_LOCATION_TYPE_DEVICE && valid_device(place.id);
}

CUresult check_properties(CUDA_MEM_ALLOC_NODE_PARAMS const& params) {
  if (!on_our_device(params.poolProps.location)) return CUDA_ERROR_INVALID_VALUE;
  if (params.poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
  for (std::size_t i = 0; i < params.accessDescCount; ++i)
    if (params.accessDescs == nullptr || !on_our_device(params.accessDescs[i].location))
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

bool frees(Graph const* graph, GraphMemory const& memory) {
  return graph != nullptr && std::ranges::any_of(graph->nodes, [&](auto const& node) {
           auto const* const work = std::get_if<FreeWork>(&node->work);
           return work != nullptr && work->memory.get() == &memory;
         });
}

// nullptr: there is no such attribute.
std::uint64_t GraphMemoryTotals::*figure(CUgraphMem_attribute attribute) {
  switch (attribute) {
  case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
    return &GraphMemoryTotals::used;
  case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
    return &GraphMemoryTotals::used_high;
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
    return &GraphMemoryTotals::reserved;
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
    return &GraphMemoryTotals::reserved_high;
  default:
    return nullptr;
  }
}

} // namespace

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                                std::size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  return add({node, graph, dependencies, count}, [&](Channel& channel, Context& context, Work& work) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_properties(*params); status != CUDA_SUCCESS) return status;
    AllocateWork allocate;
    CUresult const status = GraphMemory::make(channel, context, params->bytesize, allocate.memory);
    if (status != CUDA_SUCCESS) return status;
    params->dptr = allocate.memory->address();
    work = std::move(allocate);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  return read<AllocateWork>(node, params, [&](AllocateWork const& work) {
    *params = {};
    params->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params->bytesize = work.memory->bytes();
    params->dptr = work.memory->address();
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                               std::size_t count, CUdeviceptr address) {
  return add({node, graph, dependencies, count}, [&](Channel&, Context&, Work& work) {
    FreeWork free{GraphMemory::find(address)};
    if (!free.memory || frees(find<Graph>(graph), *free.memory)) return CUDA_ERROR_INVALID_VALUE;
    work = std::move(free);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address) {
  return read<FreeWork>(node, address, [&](FreeWork const& work) { *address = work.memory->address(); });
}

// Graphs keep nothing that they do not need.
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return with_driver(
      [&](Channel&) { return valid_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return with_driver([&](Channel&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    auto const wanted = figure(attribute);
    if (value == nullptr || wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *static_cast<cuuint64_t*>(value) = graph_memory_totals().*wanted;
    return CUDA_SUCCESS;
  });
}

// A high watermark can be set to zero, which resets it.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return with_driver([&](Channel&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    bool const used = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH;
    bool const high = used || attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
    if (value == nullptr || !high || *static_cast<cuuint64_t const*>(value) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    reset_graph_memory_high(used);
    return CUDA_SUCCESS;
  });
}
