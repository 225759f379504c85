// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_work.h"

#include "frontend/cuda/copy.h"
#include "frontend/cuda/event.h"
#include "frontend/cuda/stream.h"

#include <algorithm>

namespace pegasus::driver {
namespace {

CUresult find_launch(Channel& channel, KernelWork const& work, Function*& function) {
  Context const* const context = find<Context>(work.context);
  if (context == nullptr || !context->active.load()) return CUDA_ERROR_INVALID_CONTEXT;
  return check_launch(channel, *context, work.function, work.shape, work.cooperative, function);
}

bool is_empty(FillWork const& work) { return work.what.width == 0 || work.what.height == 0; }

struct Check {
  Channel& channel;
  CUresult operator()(EmptyWork const&) const { return CUDA_SUCCESS; }
  CUresult operator()(ChildWork const&) const { return CUDA_SUCCESS; }
  CUresult operator()(AllocateWork const&) const { return CUDA_SUCCESS; }
  CUresult operator()(FreeWork const&) const { return CUDA_SUCCESS; }
  CUresult operator()(KernelWork const& work) const {
    Function* function = nullptr;
    CUresult const status = find_launch(channel, work, function);
    if (status != CUDA_SUCCESS) return status;
    return work.parameters.size() == function->info.parameter_bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  CUresult operator()(CopyWork const& work) const {
    return each_slice(work.what, [&](RowCopy& rows) { return check_rows(channel, rows); });
  }
  CUresult operator()(FillWork const& work) const {
    if (is_empty(work)) return CUDA_SUCCESS;
    pegasus_fill_request request{};
    return fill_request(channel, work.what, 0, request);
  }
  CUresult operator()(HostWork const& work) const {
    return work.function == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  }
  CUresult operator()(RecordWork const& work) const { return known(work.event); }
  CUresult operator()(WaitWork const& work) const { return known(work.event); }
  static CUresult known(CUevent event) {
    return find<Event>(event) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  }
};

struct Send {
  Channel& channel;
  std::uint64_t graph;
  template <class Other> CUresult operator()(Other const&) const { return CUDA_SUCCESS; }
  CUresult operator()(KernelWork const& work) const {
    Function* function = nullptr;
    if (CUresult const status = find_launch(channel, work, function); status != CUDA_SUCCESS) return status;
    // Not before the launch before it has ended: the worker's sequence is not that of the dependences.
    LaunchShape shape = work.shape;
    shape.attributes.set &= ~std::uint32_t{PEGASUS_LAUNCH_PROGRAMMATIC};
    return with_request(
        launch_request(*function, shape, 0, work.cooperative), shape,
        [&](auto const& request) { return result(channel.add_to_graph(graph, request, work.parameters)); });
  }
  CUresult operator()(CopyWork const& work) const {
    return each_slice(work.what, [&](RowCopy& c) {
      if (CUresult const status = check_rows(channel, c); status != CUDA_SUCCESS) return status;
      pegasus_copy_device_request const request{
          0, c.target.address, c.target.pitch, c.source.address, c.source.pitch, c.row_bytes, c.rows};
      return result(channel.add_to_graph(graph, request));
    });
  }
  CUresult operator()(FillWork const& work) const {
    if (is_empty(work)) return CUDA_SUCCESS;
    pegasus_fill_request request{};
    CUresult const status = fill_request(channel, work.what, 0, request);
    return status == CUDA_SUCCESS ? result(channel.add_to_graph(graph, request)) : status;
  }
};

struct Run {
  Channel& channel;
  CUstream stream;
  std::uint64_t remote;
  template <class Other> CUresult operator()(Other const&) const { return CUDA_SUCCESS; }
  CUresult operator()(CopyWork const& work) const {
    return each_slice(work.what, [&](RowCopy const& c) {
      return copy_rows(channel, stream, c.target, c.source, c.row_bytes, c.rows, false);
    });
  }
  CUresult operator()(HostWork const& work) const {
    CUresult const status = synchronize_stream(channel, remote);
    if (status == CUDA_SUCCESS) work.function(work.data);
    return status;
  }
  CUresult operator()(RecordWork const& work) const {
    Event* const event = find<Event>(work.event);
    return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : record(channel, *event, remote);
  }
  CUresult operator()(WaitWork const& work) const {
    Event const* const event = find<Event>(work.event);
    return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : wait(channel, *event, remote);
  }
};

} // namespace

CUgraphNodeType type_of(Work const& work) {
  constexpr CUgraphNodeType types[] = {CU_GRAPH_NODE_TYPE_EMPTY,      CU_GRAPH_NODE_TYPE_KERNEL,
                                       CU_GRAPH_NODE_TYPE_MEMCPY,     CU_GRAPH_NODE_TYPE_MEMSET,
                                       CU_GRAPH_NODE_TYPE_HOST,       CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                       CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_GRAPH,
                                       CU_GRAPH_NODE_TYPE_MEM_ALLOC,  CU_GRAPH_NODE_TYPE_MEM_FREE};
  static_assert(std::variant_size_v<Work> == std::size(types));
  return types[work.index()];
}

CUresult fill_in(Channel& channel, KernelWork& work, void* const* parameters, void* const* extra) {
  Function* function = nullptr;
  if (parameters != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult const status = find_launch(channel, work, function); status != CUDA_SUCCESS) return status;
  work.parameters.resize(function->info.parameter_bytes);
  return gather(*function, parameters, extra, work.parameters);
}

CUresult check(Channel& channel, Work const& work) { return std::visit(Check{channel}, work); }

CUresult send(Channel& channel, std::uint64_t remote, Work const& work) {
  return std::visit(Send{channel, remote}, work);
}

CUresult run(Channel& channel, CUstream stream, std::uint64_t remote_stream, Work const& work) {
  return std::visit(Run{channel, stream, remote_stream}, work);
}

bool done_by_guest(Work const& work) {
  if (auto const* const copy = std::get_if<CopyWork>(&work)) {
    bool host = false; // of the first slice: the others are on the same side
    (void)each_slice(copy->what, [&](RowCopy const& c) {
      host = !c.target.on_device || !c.source.on_device;
      return CUDA_ERROR_UNKNOWN; // stop after the first slice
    });
    return host;
  }
  return std::holds_alternative<HostWork>(work) || std::holds_alternative<RecordWork>(work) ||
         std::holds_alternative<WaitWork>(work);
}

std::size_t requests_of(Work const& work) {
  if (auto const* const copy = std::get_if<CopyWork>(&work)) return copy->what.Depth;
  if (auto const* const fill = std::get_if<FillWork>(&work)) return is_empty(*fill) ? 0 : 1;
  return std::holds_alternative<KernelWork>(work) ? 1 : 0;
}

} // namespace pegasus::driver
