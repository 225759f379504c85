// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/graph_calls.h"

#include "domA/avcpu/cuda_service.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace pegasus::avcpu {
namespace {

bool can_be_kept(std::uint32_t call) {
  return call == PEGASUS_CALL_LAUNCH || call == PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES ||
         call == PEGASUS_CALL_COPY_DEVICE || call == PEGASUS_CALL_FILL;
}

std::uint64_t& stream_of(auto& request) { return request.stream; }
std::uint64_t& stream_of(pegasus_launch_with_attributes_request& request) { return request.launch.stream; }

} // namespace

Status GraphCalls::on(pegasus_graph_create_request const&, Data const&, pegasus_graph_create_reply& reply) {
  reply.graph = objects_.insert<Graph>({});
  return reply.graph != 0 ? Status::success : Status::out_of_memory;
}

// Errors are stored in the graph for GRAPH_READY: an incomplete graph must not run.
Status GraphCalls::on(pegasus_graph_add_request const& request, Data const& data, Graph* graph) {
  if (graph->error != Status::success) return Status::success;
  std::size_t const bytes = sizeof(KeptRequest) + data.arena.size();
  if (!can_be_kept(request.call)) {
    graph->error = Status::not_supported;
  } else if (graph->requests.size() == PEGASUS_GRAPH_NODES_MAX || bytes > PEGASUS_GRAPH_BYTES_MAX - bytes_) {
    graph->error = Status::out_of_memory;
  } else {
    try {
      KeptRequest kept{static_cast<std::uint16_t>(request.call), {}, {data.arena.begin(), data.arena.end()}};
      std::copy_n(data.inline_bytes.begin(), std::min(data.inline_bytes.size(), kept.body.size()),
                  kept.body.begin());
      graph->requests.push_back(std::move(kept));
      graph->bytes += bytes;
      bytes_ += bytes;
    } catch (std::bad_alloc const&) {
      graph->error = Status::out_of_memory;
    }
  }
  return Status::success;
}

Status GraphCalls::on(pegasus_graph_ready_request const&, Data const&, Graph* graph,
                      pegasus_graph_ready_reply&) {
  return graph->error;
}

Status GraphCalls::on(pegasus_graph_launch_request const& request, Data const& data, Graph* graph,
                      device::Stream*) {
  if (graph->error != Status::success) return graph->error;
  if (graph->requests.empty()) return Status::success;
  run_ = {request.graph, request.stream, 0, false};
  return run_next_of_graph(*data.slice);
}

Status GraphCalls::on(pegasus_graph_destroy_request const& request, Data const&, Graph* graph) {
  bytes_ -= graph->bytes;
  objects_.table<Graph>().erase(request.graph);
  return Status::success;
}

Status GraphCalls::resume_graph(device::TimeSlice const& slice) {
  if (!run_.in_launch) return run_next_of_graph(slice);
  return after_request_of_graph(objects_.context().resume(slice));
}

// No call is executed between the parts of a launch: the graph still exists and has the same requests.
Status GraphCalls::run_next_of_graph(device::TimeSlice const& slice) {
  Graph& graph = *objects_.table<Graph>().find(run_.graph);
  return after_request_of_graph(run_kept(graph.requests[run_.next++], slice));
}

Status GraphCalls::after_request_of_graph(Status status) {
  run_.in_launch = status == Status::not_ready;
  if (run_.in_launch) return status;
  bool const more = run_.next < objects_.table<Graph>().find(run_.graph)->requests.size();
  if (status == Status::success && more) return Status::not_ready;
  run_ = {};
  return status;
}

template <class Request> Status GraphCalls::run_kept(KeptRequest& kept, device::TimeSlice const& slice) {
  static_assert(sizeof(Request) <= KeptRequest::body_bytes);
  Request request;
  std::memcpy(&request, kept.body.data(), sizeof request);
  stream_of(request) = run_.stream;
  return service_.resolve_and_run(
      request, Data{kept.data, std::span<std::byte const>(kept.body).subspan(sizeof request), &slice});
}

Status GraphCalls::run_kept(KeptRequest& kept, device::TimeSlice const& slice) {
  switch (kept.call) {
  case PEGASUS_CALL_LAUNCH:
    return run_kept<pegasus_launch_request>(kept, slice);
  case PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES:
    return run_kept<pegasus_launch_with_attributes_request>(kept, slice);
  case PEGASUS_CALL_COPY_DEVICE:
    return run_kept<pegasus_copy_device_request>(kept, slice);
  default:
    return run_kept<pegasus_fill_request>(kept, slice);
  }
}

} // namespace pegasus::avcpu
