// SPDX-License-Identifier: Apache-2.0
// A graph made ready: a copy of it, cut into steps. A step is either a run of kernels, memsets and copies on
// the device, which the worker keeps and executes for one packet (GRAPH_LAUNCH), or one node that this
// process does itself: a host function, a copy from or to host memory, an event. Nodes are executed one after
// the other, in an order that respects the edges.
#pragma once

#include "frontend/cuda/graph/graph.h"

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
  bool stale = true;        // the worker has to be sent it (again)
  std::uint64_t remote = 0; // the worker's graph; 0: there is nothing to execute
};

struct GraphExec {
  using Handle = CUgraphExec;
  static constexpr Kind kind = Kind::graph_exec;

  CUgraphExec handle = nullptr;
  cuuint64_t flags = 0;
  std::mutex mutex; // guards the rest
  std::unique_ptr<Graph> graph;
  std::vector<ExecNode> nodes;
  std::unordered_map<std::uint64_t, std::size_t> places; // by the id of the node that the program has
  std::vector<Step> steps;
  std::uint64_t epoch = 0; // of the device context that the worker's graphs and the event are in

  // "Each launch is ordered behind [...] any previous launches of" the same graph, in whatever stream.
  bool launched = false;
  CUstream last_stream = nullptr;
  std::uint64_t last_remote = 0;
  std::uint64_t event = 0;
};

// All nodes in the order of execution, those of child graphs in their node's place. False: there is a cycle.
bool flatten(Graph const& graph, std::vector<Node*>& nodes);

// `error_node`: whose work was refused, if it was a node's.
CUresult instantiate(Channel& channel, Graph const& graph, std::unique_ptr<GraphExec>& exec,
                     CUgraphNode* error_node);
// The worker has what it needs for the next launch.
CUresult upload(Channel& channel, GraphExec& exec);
CUresult launch(Channel& channel, GraphExec& exec, CUstream stream, std::uint64_t remote_stream);
void destroy(Channel& channel, GraphExec& exec);

// Gives a node other work of the same type and, if it is a copy, between the same sides; checked.
CUresult change(Channel& channel, GraphExec& exec, ExecNode& node, Work work);

} // namespace pegasus::driver
