// SPDX-License-Identifier: Apache-2.0
// A graph as the program builds it: nodes, each with its work, and which waits for which. The worker knows
// nothing of it; what is launched is made from it by cuGraphInstantiate (graph_exec.h).
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
  std::uint64_t original = 0; // of a clone's node: the id of the one it was made from
  Work work;
  std::unique_ptr<Graph> child; // of a child graph node
  std::vector<Node*> dependencies, dependents;
};

struct Graph {
  using Handle = CUgraph;
  static constexpr Kind kind = Kind::graph;

  CUgraph handle = nullptr;
  std::uint64_t id = 0;
  std::uint64_t original = 0;               // of a clone: the id of the graph it was made from
  Node* owner = nullptr;                    // of a child graph
  std::vector<std::unique_ptr<Node>> nodes; // in the order of their making

  Graph() = default;
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;
  ~Graph(); // its nodes' handles and its own go with it
};

// nullptr: out of handles. Without handles: for ourselves, a program never sees it.
std::unique_ptr<Graph> make_graph(bool with_handles = true);
// A graph that no node owns.
Graph* find_root(CUgraph handle);

// The nodes of handles, all of `graph` and none twice.
CUresult find_nodes(Graph const& graph, CUgraphNode const* handles, std::size_t count,
                    std::vector<Node*>& nodes);
// With dependencies from find_nodes; nullptr: out of handles.
Node* add_node(Graph& graph, std::vector<Node*> const& dependencies, Work work);
Node* add_child(Graph& graph, std::vector<Node*> const& dependencies, std::unique_ptr<Graph> child);
void remove_node(Node& node);

bool depends(Node const& on, Node const& node); // directly
void connect(Node& from, Node& to);
void disconnect(Node& from, Node& to);

// nullptr: out of handles. The copy's nodes are in the same order.
std::unique_ptr<Graph> clone(Graph const& graph, bool with_handles = true);

// Each node after all that it waits for, otherwise in the order of their making. False: there is a cycle.
bool in_order(Graph const& graph, std::vector<Node*>& ordered);

} // namespace pegasus::driver
