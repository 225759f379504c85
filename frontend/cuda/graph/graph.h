// SPDX-License-Identifier: Apache-2.0
// A graph as the program builds it: nodes with their work, and the edges between them. The worker knows
// nothing of it; cuGraphInstantiate makes the launchable form (graph_exec.h).
//
// As in CUDA, the program orders its own threads' uses of one graph; only captures lock (capture.h).
#pragma once

#include "frontend/cuda/graph/graph_work.h"

#include <memory>
#include <vector>

namespace pegasus::driver {

struct Graph;

struct Node {
  using Handle = CUgraphNode;
  static constexpr Kind kind = Kind::graph_node;

  CUgraphNode handle = nullptr;
  Graph* graph = nullptr;
  std::uint64_t id = 0;
  std::uint64_t original = 0; // of a clone's node: the id of its original
  Work work;
  std::unique_ptr<Graph> child; // of a child graph node
  std::vector<Node*> dependencies, dependents;
};

struct Graph {
  using Handle = CUgraph;
  static constexpr Kind kind = Kind::graph;

  CUgraph handle = nullptr;
  std::uint64_t id = 0;
  std::uint64_t original = 0;               // of a clone: the id of its original
  Node* owner = nullptr;                    // of a child graph
  std::vector<std::unique_ptr<Node>> nodes; // in the order of creation

  Graph() = default;
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;
  ~Graph(); // also frees the handles of its nodes and its own
};

// Returns nullptr if no handle is free. A graph without handles is internal: the program never sees it.
std::unique_ptr<Graph> make_graph(bool with_handles = true);
// Returns nullptr for a graph that a node owns.
Graph* find_root(CUgraph handle);

// The nodes behind `handles`: all must be of `graph`, without duplicates.
CUresult find_nodes(Graph const& graph, CUgraphNode const* handles, std::size_t count,
                    std::vector<Node*>& nodes);
// `dependencies` are from find_nodes. Returns nullptr if no handle is free.
Node* add_node(Graph& graph, std::vector<Node*> const& dependencies, Work work);
Node* add_child(Graph& graph, std::vector<Node*> const& dependencies, std::unique_ptr<Graph> child);
void remove_node(Node& node);

bool depends(Node const& on, Node const& node); // directly
void connect(Node& from, Node& to);
void disconnect(Node& from, Node& to);

// Such a graph can be neither copied nor cut down: there is one piece of memory for each node.
bool has_memory_nodes(Graph const& graph);
// Returns nullptr if no handle is free. The copy's nodes are in the same order.
std::unique_ptr<Graph> clone(Graph const& graph, bool with_handles = true);

// Orders the nodes behind their dependencies, otherwise by creation. Returns false if there is a cycle.
bool in_order(Graph const& graph, std::vector<Node*>& ordered);

} // namespace pegasus::driver
