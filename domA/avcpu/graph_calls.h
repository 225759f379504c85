// SPDX-License-Identifier: Apache-2.0
// Graphs. A launch executes one kept request at a time and is unfinished until the last one. Between any two
// of them the aVCPU looks at its gate and publishes its usage, as between plain calls.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::avcpu {

class CudaService;

class GraphCalls {
public:
  // The service executes the kept requests.
  GraphCalls(Objects& objects, CudaService& service) : objects_(objects), service_(service) {
    objects.on_reset([this] { bytes_ = 0; });
  }
  Status on(pegasus_graph_create_request const&, Data const&, pegasus_graph_create_reply& reply);
  Status on(pegasus_graph_add_request const& request, Data const& data, Graph* graph);
  Status on(pegasus_graph_ready_request const&, Data const&, Graph* graph, pegasus_graph_ready_reply&);
  Status on(pegasus_graph_launch_request const& request, Data const& data, Graph* graph, device::Stream*);
  Status on(pegasus_graph_destroy_request const& request, Data const&, Graph* graph);

  [[nodiscard]] std::size_t bytes() const { return bytes_; } // of all graphs
  [[nodiscard]] bool launches_graph() const { return run_.graph != 0; }
  [[nodiscard]] Status resume_graph(device::TimeSlice const& slice);
  void abandon() { run_ = {}; }

private:
  Status run_next_of_graph(device::TimeSlice const& slice);
  Status after_request_of_graph(Status status);
  Status run_kept(KeptRequest& request, device::TimeSlice const& slice);
  template <class Request> Status run_kept(KeptRequest& request, device::TimeSlice const& slice);

  struct Run {               // the GRAPH_LAUNCH that is being executed
    std::uint64_t graph = 0; // 0: none
    std::uint64_t stream = 0;
    std::size_t next = 0;
    bool in_launch = false; // the request before `next` was interrupted
  };

  Objects& objects_;
  CudaService& service_;
  std::size_t bytes_ = 0; // of all graphs, as PEGASUS_GRAPH_BYTES_MAX counts them
  Run run_;
};

} // namespace pegasus::avcpu
