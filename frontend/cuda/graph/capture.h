// SPDX-License-Identifier: Apache-2.0
// Stream capture: work submitted to a captured stream is not executed but becomes a node of a graph, behind
// the nodes of the stream's earlier work. A stream that waits for an event recorded in a capture is captured
// too (fork) until the capture ends; before that the first stream has to wait for it (join).
//
// While no stream is captured, all of this costs one relaxed load in resolve_stream().
#pragma once

#include "frontend/cuda/event.h"
#include "frontend/cuda/graph/graph.h"

#include <atomic>

namespace pegasus::driver {

extern std::atomic<unsigned> captures_under_way;
inline bool any_capture() { return captures_under_way.load(std::memory_order_relaxed) != 0; }

// For resolve_stream: checks whether `stream` may be used now, and sets `*captured`. `captured` is nullptr
// for calls that cannot become a node: using a captured stream is then an error and invalidates the capture.
// So does a use of the legacy default stream, which would have to wait for the capture.
CUresult check_against_captures(CUstream stream, bool* captured);

// Appends the stream's next node instead of executing the work. All of these return an error if the stream is
// no longer captured.
CUresult capture_work(CUstream stream, Work work);
CUresult capture_child(CUstream stream, Graph const& graph); // a copy of it
CUresult capture_allocation(Channel& channel, Context& context, CUstream stream, std::uint64_t bytes,
                            CUdeviceptr& address);
CUresult capture_free(CUstream stream, CUdeviceptr address);
CUresult capture_record(CUstream stream, Event& event);

// For a captured stream, or an event that was recorded in a capture.
CUresult capture_wait(CUstream stream, Event& event);
// The event was now recorded in a stream.
void forget_capture(Event& event);
// Returns the error for an operation that is not allowed on an event recorded in a capture.
CUresult refuse_captured_event(Event const& event);
// Returns an error if this thread would wait for all work during a capture that it must not disturb.
CUresult check_synchronizing();
// The stream is destroyed.
void forget_stream(CUstream stream);

// Sets the thread's capture mode; returns the former one.
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode);
CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                       CUgraphNode const* dependencies, std::size_t count);
CUresult end_capture(CUstream stream, CUgraph* graph);

struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  std::uint64_t id = 0;
  CUgraph graph = nullptr;
  CUgraphNode const* dependencies = nullptr; // valid until the stream's next work
  std::size_t count = 0;
};
CUresult capture_info(CUstream stream, CaptureInfo& info);
CUresult set_capture_dependencies(CUstream stream, CUgraphNode const* nodes, std::size_t count, bool add);

} // namespace pegasus::driver
