// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace pegasus::driver {
namespace {

void take_out(std::vector<Node*>& nodes, Node const* node) {
  nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
}

} // namespace

Graph::~Graph() {
  for (auto const& node : nodes)
    if (node->handle != nullptr) erase<Node>(node->handle);
  if (handle != nullptr) erase<Graph>(handle);
}

std::unique_ptr<Graph> make_graph(bool with_handles) {
  auto graph = std::make_unique<Graph>();
  graph->id = next_id();
  if (!with_handles) return graph;
  graph->handle = insert<Graph>(graph.get());
  return graph->handle == nullptr ? nullptr : std::move(graph);
}

Graph* find_root(CUgraph handle) {
  Graph* const graph = find<Graph>(handle);
  return graph == nullptr || graph->owner != nullptr ? nullptr : graph;
}

CUresult find_nodes(Graph const& graph, CUgraphNode const* handles, std::size_t count,
                    std::vector<Node*>& nodes) {
  if (count != 0 && handles == nullptr) return CUDA_ERROR_INVALID_VALUE;
  nodes.clear();
  std::unordered_set<Node const*> seen;
  for (std::size_t i = 0; i < count; ++i) {
    Node* const node = find<Node>(handles[i]);
    if (node == nullptr || node->graph != &graph || !seen.insert(node).second)
      return CUDA_ERROR_INVALID_VALUE;
    nodes.push_back(node);
  }
  return CUDA_SUCCESS;
}

Node* add_node(Graph& graph, std::vector<Node*> const& dependencies, Work work) {
  auto owned = std::make_unique<Node>();
  owned->graph = &graph;
  owned->id = next_id();
  owned->work = std::move(work);
  owned->dependencies = dependencies;
  graph.nodes.push_back(std::move(owned));
  Node* const node = graph.nodes.back().get();
  if (graph.handle != nullptr) { // otherwise the program never sees the graph
    node->handle = insert<Node>(node);
    if (node->handle == nullptr) {
      graph.nodes.pop_back();
      return nullptr;
    }
  }
  for (Node* const from : dependencies)
    from->dependents.push_back(node);
  return node;
}

Node* add_child(Graph& graph, std::vector<Node*> const& dependencies, std::unique_ptr<Graph> child) {
  Node* const node = add_node(graph, dependencies, ChildWork{});
  if (node == nullptr) return nullptr;
  child->owner = node;
  node->child = std::move(child);
  return node;
}

void remove_node(Node& node) {
  for (Node* const from : node.dependencies)
    take_out(from->dependents, &node);
  for (Node* const to : node.dependents)
    take_out(to->dependencies, &node);
  erase<Node>(node.handle);
  auto& nodes = node.graph->nodes;
  nodes.erase(std::find_if(nodes.begin(), nodes.end(), [&](auto const& n) { return n.get() == &node; }));
}

bool depends(Node const& on, Node const& node) {
  return std::find(node.dependencies.begin(), node.dependencies.end(), &on) != node.dependencies.end();
}

void connect(Node& from, Node& to) {
  to.dependencies.push_back(&from);
  from.dependents.push_back(&to);
}

void disconnect(Node& from, Node& to) {
  take_out(to.dependencies, &from);
  take_out(from.dependents, &to);
}

bool has_memory_nodes(Graph const& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](auto const& node) {
    return std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work) ||
           (node->child && has_memory_nodes(*node->child));
  });
}

std::unique_ptr<Graph> clone(Graph const& graph, bool with_handles) {
  std::unique_ptr<Graph> copy = make_graph(with_handles);
  if (!copy) return nullptr;
  copy->original = graph.id;
  std::unordered_map<Node const*, Node*> counterpart;
  for (auto const& node : graph.nodes) {
    Node* const copied = add_node(*copy, {}, node->work);
    if (copied == nullptr) return nullptr;
    copied->original = node->id;
    counterpart[node.get()] = copied;
    if (!node->child) continue;
    copied->child = clone(*node->child, with_handles);
    if (!copied->child) return nullptr;
    copied->child->owner = copied;
  }
  // Both lists keep their own order: the program sees the same order in the clone as in the original.
  for (auto const& node : graph.nodes) {
    for (Node const* const from : node->dependencies)
      counterpart[node.get()]->dependencies.push_back(counterpart[from]);
    for (Node const* const to : node->dependents)
      counterpart[node.get()]->dependents.push_back(counterpart[to]);
  }
  return copy;
}

bool in_order(Graph const& graph, std::vector<Node*>& ordered) {
  ordered.clear();
  std::unordered_map<Node const*, std::size_t> waits_for;
  std::unordered_map<Node const*, std::size_t> place;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const* const node = graph.nodes[i].get();
    place[node] = i;
    waits_for[node] = node->dependencies.size();
    if (node->dependencies.empty()) ready.push(i);
  }
  while (!ready.empty()) {
    Node* const node = graph.nodes[ready.top()].get();
    ready.pop();
    ordered.push_back(node);
    for (Node const* const next : node->dependents)
      if (--waits_for[next] == 0) ready.push(place[next]);
  }
  return ordered.size() == graph.nodes.size();
}

} // namespace pegasus::driver
