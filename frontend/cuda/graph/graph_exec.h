// SPDX-License-Identifier: Apache-2.0
// An executable graph: a copy of a graph, cut into steps. A step is either a run of kernels, memsets and
// copies on the device, which the worker stores and executes for one packet (GRAPH_LAUNCH), or one node that
// this process executes itself: a host function, a copy from or to host memory, an event. Nodes are executed
// one at a time, in an order that respects the edges.
#pragma once

#include "frontend/cuda/graph/graph.h"
#include "frontend/cuda/graph/graph_memory.h"

#include <mutex>
#include <unordered_map>

namespace pegasus::driver {

struct ExecNode {
  Node* node = nullptr; // of the copy
  bool enabled = true;
  std::size_t step = 0;
};

struct Step {
  std::size_t first = 0, end = 0; // nodes
  bool by_guest = false;
  bool stale = true;        // the step must be sent to the worker (again)
  std::uint64_t remote = 0; // the worker's graph; 0 if there is nothing to execute
};

struct GraphExec {
  using Handle = CUgraphExec;
  static constexpr Kind kind = Kind::graph_exec;

  CUgraphExec handle = nullptr;
  cuuint64_t flags = 0;
  std::mutex mutex; // guards the rest
  std::unique_ptr<Graph> graph;
  std::vector<ExecNode> nodes;
  std::unordered_map<std::uint64_t, std::size_t> places; // by the id of the program's node
  std::vector<Step> steps;
  GraphMemoryUse memory;
  std::uint64_t epoch = 0; // the device context of the worker's graphs and of the event

  // "Each launch is ordered behind [...] any previous launches of" the same graph, in any stream.
  bool launched = false;
  CUstream last_stream = nullptr;
  std::uint64_t last_remote = 0;
  std::uint64_t event = 0;
};

// All nodes in the order of execution; those of child graphs take their node's place. Returns false if there
// is a cycle.
bool flatten(Graph const& graph, std::vector<Node*>& nodes);

// `error_node`: the node with the refused work, if there was one.
CUresult instantiate(Channel& channel, Graph const& graph, std::unique_ptr<GraphExec>& exec,
                     CUgraphNode* error_node);
// Sends the worker what it needs for the next launch.
CUresult upload(Channel& channel, GraphExec& exec);
CUresult launch(Channel& channel, GraphExec& exec, CUstream stream, std::uint64_t remote_stream);
void destroy(Channel& channel, GraphExec& exec);

// Gives a node other work of the same type and, if it is a copy, between the same sides; checks it.
CUresult change(Channel& channel, GraphExec& exec, ExecNode& node, Work work);

} // namespace pegasus::driver
