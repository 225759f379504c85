// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_edit.h"

#include "frontend/cuda/graph/graph_memory.h"

namespace pegasus::driver {
namespace {

using Pairs = std::vector<std::pair<Node*, Node const*>>;

struct Difference {
  CUgraphExecUpdateResult what;
  Node const* node; // of the new graph
  Node const* from;
};

// Nodes at the same position in the order of execution are counterparts.
bool pair(Graph const& ours, Graph const& theirs, Pairs& pairs, Difference& difference) {
  std::vector<Node*> mine, others;
  bool const same_size = in_order(ours, mine) && in_order(theirs, others) && mine.size() == others.size();
  difference = {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  if (!same_size) return false;
  std::unordered_map<Node const*, Node const*> counterpart;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    counterpart[mine[i]] = others[i];
    difference.node = others[i];
    if (mine[i]->dependencies.size() != others[i]->dependencies.size()) return false;
    for (Node const* const from : mine[i]->dependencies) {
      difference.from = counterpart[from];
      if (!depends(*counterpart[from], *others[i])) return false;
    }
    difference.from = nullptr;
    if (mine[i]->work.index() != others[i]->work.index()) {
      difference.what = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
      return false;
    }
    pairs.emplace_back(mine[i], others[i]);
    if (mine[i]->child && !pair(*mine[i]->child, *others[i]->child, pairs, difference)) return false;
  }
  return true;
}

} // namespace

CUresult add_child(Place const& place, CUgraph child_handle) {
  return with_context([&](Channel&, Context&) {
    Graph* const graph = find<Graph>(place.graph);
    Graph const* const child = find<Graph>(child_handle);
    if (place.node == nullptr || graph == nullptr || child == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Node*> dependencies;
    CUresult const status = find_nodes(*graph, place.dependencies, place.count, dependencies);
    if (status != CUDA_SUCCESS) return status;
    if (has_memory_nodes(*child)) return CUDA_ERROR_NOT_SUPPORTED;
    std::unique_ptr<Graph> copy = clone(*child);
    Node const* const node = copy ? add_child(*graph, dependencies, std::move(copy)) : nullptr;
    if (node == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *place.node = node->handle;
    return CUDA_SUCCESS;
  });
}

ExecNode* find_in(GraphExec& exec, CUgraphNode handle) {
  Node const* const node = find<Node>(handle);
  auto const found = node == nullptr ? exec.places.end() : exec.places.find(node->id);
  return found == exec.places.end() ? nullptr : &exec.nodes[found->second];
}

CUresult take_over(Channel& channel, GraphExec& exec, Graph const& ours, Graph const& theirs,
                   CUgraphExecUpdateResultInfo& info) {
  Pairs pairs;
  Difference difference{};
  auto const refuse = [&](Difference const& d) {
    info = {d.what, d.node == nullptr ? nullptr : d.node->handle,
            d.from == nullptr ? nullptr : d.from->handle};
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  };
  if (!pair(ours, theirs, pairs, difference)) return refuse(difference);
  for (auto const& [mine, other] : pairs) {
    bool const same_sides = done_by_guest(mine->work) == done_by_guest(other->work);
    bool const same_memory = memory_of(mine->work) == memory_of(other->work);
    if (!same_sides || !same_memory || check(channel, other->work) != CUDA_SUCCESS)
      return refuse({CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, other, nullptr});
  }
  for (auto const& [mine, other] : pairs) {
    mine->work = other->work;
    exec.steps[exec.nodes[exec.places[mine->original]].step].stale = true;
  }
  info = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver
