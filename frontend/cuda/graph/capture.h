// SPDX-License-Identifier: Apache-2.0
// Stream capture: what is done in a captured stream is not done but becomes a node of a graph, behind the
// nodes that the stream's earlier work became. A stream that waits for an event recorded in a capture is
// captured too (fork) until the capture ends; before that the first stream has to wait for it (join).
//
// While nobody captures, all of this costs one relaxed load in resolve_stream().
#pragma once

#include "frontend/cuda/event.h"
#include "frontend/cuda/graph/graph.h"

#include <atomic>

namespace pegasus::driver {

extern std::atomic<unsigned> captures_under_way;
inline bool any_capture() { return captures_under_way.load(std::memory_order_relaxed) != 0; }

// For resolve_stream: may `stream` be used now, and is it `*captured`? With nullptr for whoever can only be
// done at once: doing so in a captured stream is an error and invalidates the capture, as does a use of the
// legacy default stream, which would have to wait for it.
CUresult check_against_captures(CUstream stream, bool* captured);

// Instead of doing it: the stream's next node. All of these answer with an error if the stream is not
// captured any more.
CUresult capture_work(CUstream stream, Work work);
CUresult capture_child(CUstream stream, Graph const& graph); // a copy of it
CUresult capture_record(CUstream stream, Event& event);

// For a stream that is captured, or an event that was recorded in a capture.
CUresult capture_wait(CUstream stream, Event& event);
// The event was recorded in a stream now.
void forget_capture(Event& event);
// What may not be asked of an event that was recorded in a capture: the error.
CUresult refuse_captured_event(Event const& event);
// Waiting for everything, while something is captured that this thread may not disturb: the error.
CUresult check_synchronizing();
// The stream is destroyed.
void forget_stream(CUstream stream);

// The thread's capture mode; returns the former one.
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode);
CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                       CUgraphNode const* dependencies, std::size_t count);
CUresult end_capture(CUstream stream, CUgraph* graph);

struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  std::uint64_t id = 0;
  CUgraph graph = nullptr;
  CUgraphNode const* dependencies = nullptr; // good until the stream's next work
  std::size_t count = 0;
};
CUresult capture_info(CUstream stream, CaptureInfo& info);
CUresult set_capture_dependencies(CUstream stream, CUgraphNode const* nodes, std::size_t count, bool add);

} // namespace pegasus::driver
