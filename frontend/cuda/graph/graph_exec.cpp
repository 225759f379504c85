// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_exec.h"

#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

void plan(GraphExec& exec) {
  std::size_t requests = 0; // in the last step
  for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
    Work const& work = exec.nodes[i].node->work;
    bool const by_guest = done_by_guest(work);
    requests += by_guest ? 0 : requests_of(work);
    bool const joins = !exec.steps.empty() && !by_guest && !exec.steps.back().by_guest &&
                       requests <= PEGASUS_GRAPH_NODES_MAX;
    if (!joins) {
      exec.steps.push_back({i, i, by_guest});
      requests = requests_of(work);
    }
    exec.steps.back().end = i + 1;
    exec.nodes[i].step = exec.steps.size() - 1;
  }
}

void discard(Channel& channel, Step& step) {
  if (step.remote != 0) (void)channel.post(pegasus_graph_destroy_request{step.remote});
  step.remote = 0;
  step.stale = true;
}

CUresult fill_remote(Channel& channel, GraphExec const& exec, Step& step) {
  auto const created = ask(channel, pegasus_graph_create_request{});
  if (created.status != CUDA_SUCCESS) return created.status;
  step.remote = created.reply.graph;
  for (std::size_t i = step.first; i < step.end; ++i) {
    if (!exec.nodes[i].enabled) continue;
    CUresult const status = send(channel, step.remote, exec.nodes[i].node->work);
    if (status != CUDA_SUCCESS) return status;
  }
  return ask(channel, pegasus_graph_ready_request{step.remote}).status;
}

CUresult upload(Channel& channel, GraphExec const& exec, Step& step) {
  discard(channel, step);
  std::size_t requests = 0;
  for (std::size_t i = step.first; i < step.end; ++i)
    if (exec.nodes[i].enabled) requests += requests_of(exec.nodes[i].node->work);
  CUresult const status = requests == 0 ? CUDA_SUCCESS : fill_remote(channel, exec, step);
  if (status != CUDA_SUCCESS) discard(channel, step);
  step.stale = status != CUDA_SUCCESS;
  return status;
}

// Objects of an old device context are gone.
void forget_old_epoch(GraphExec& exec) {
  if (exec.epoch == device_epoch()) return;
  exec.epoch = device_epoch();
  exec.launched = false;
  exec.event = 0;
  for (Step& step : exec.steps) {
    step.remote = 0;
    step.stale = true;
  }
}

bool still_there(CUstream stream, std::uint64_t remote) {
  if (is_legacy(stream)) return true;
  Stream const* const found = find<Stream>(stream); // not a per-thread stream: its thread may be gone
  return found != nullptr && found->remote == remote;
}

CUresult order_behind_last(Channel& channel, GraphExec& exec, std::uint64_t remote) {
  if (!exec.launched || exec.last_remote == remote) return CUDA_SUCCESS;
  if (!still_there(exec.last_stream, exec.last_remote))
    return ask(channel, pegasus_context_synchronize_request{}).status;
  if (exec.event == 0) {
    auto const [status, reply] = ask(channel, pegasus_event_create_request{CU_EVENT_DISABLE_TIMING, 0});
    if (status != CUDA_SUCCESS) return status;
    exec.event = reply.event;
  }
  CUresult const status = result(channel.post(pegasus_event_record_request{exec.event, exec.last_remote}));
  if (status != CUDA_SUCCESS) return status;
  return result(channel.post(pegasus_stream_wait_event_request{remote, exec.event, 0, 0}));
}

} // namespace

bool flatten(Graph const& graph, std::vector<Node*>& nodes) {
  std::vector<Node*> ordered;
  if (!in_order(graph, ordered)) return false;
  for (Node* const node : ordered) {
    nodes.push_back(node);
    if (node->child && !flatten(*node->child, nodes)) return false;
  }
  return true;
}

CUresult instantiate(Channel& channel, Graph const& graph, std::unique_ptr<GraphExec>& out,
                     CUgraphNode* error_node) {
  std::vector<Node*> nodes;
  if (!flatten(graph, nodes)) return CUDA_ERROR_INVALID_VALUE;
  for (Node const* const node : nodes)
    if (CUresult const status = check(channel, node->work); status != CUDA_SUCCESS) {
      if (error_node != nullptr) *error_node = node->handle;
      return status;
    }
  auto exec = std::make_unique<GraphExec>();
  exec->graph = clone(graph, false);
  exec->epoch = device_epoch();
  nodes.clear();
  (void)flatten(*exec->graph, nodes);
  for (Node* const node : nodes) {
    exec->places[node->original] = exec->nodes.size();
    exec->nodes.push_back({node});
  }
  if (CUresult const status = exec->memory.instantiate(nodes); status != CUDA_SUCCESS) return status;
  plan(*exec);
  if (CUresult const status = upload(channel, *exec); status != CUDA_SUCCESS) {
    destroy(channel, *exec);
    return status;
  }
  out = std::move(exec);
  return CUDA_SUCCESS;
}

CUresult upload(Channel& channel, GraphExec& exec) {
  forget_old_epoch(exec);
  for (Step& step : exec.steps) {
    if (step.by_guest || !step.stale) continue;
    if (CUresult const status = upload(channel, exec, step); status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

CUresult launch(Channel& channel, GraphExec& exec, CUstream stream, std::uint64_t remote) {
  std::lock_guard lock(exec.mutex);
  CUresult status = upload(channel, exec);
  if (status == CUDA_SUCCESS) status = order_behind_last(channel, exec, remote);
  bool const free_first = (exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  if (status == CUDA_SUCCESS && !exec.memory.launch(free_first)) return CUDA_ERROR_INVALID_VALUE;
  for (auto step = exec.steps.begin(); status == CUDA_SUCCESS && step != exec.steps.end(); ++step) {
    ExecNode const& first = exec.nodes[step->first];
    if (!step->by_guest && step->remote != 0)
      status = result(channel.post(pegasus_graph_launch_request{step->remote, remote}));
    else if (step->by_guest && first.enabled)
      status = run(channel, stream, remote, first.node->work);
  }
  exec.launched = true;
  exec.last_stream = stream;
  exec.last_remote = remote;
  return status;
}

void destroy(Channel& channel, GraphExec& exec) {
  forget_old_epoch(exec);
  for (Step& step : exec.steps)
    discard(channel, step);
  if (exec.event != 0) (void)channel.post(pegasus_event_destroy_request{exec.event});
  exec.event = 0;
}

CUresult change(Channel& channel, GraphExec& exec, ExecNode& node, Work work) {
  if (work.index() != node.node->work.index()) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult const status = check(channel, work); status != CUDA_SUCCESS) return status;
  Step& step = exec.steps[node.step];
  if (done_by_guest(work) != step.by_guest) return CUDA_ERROR_INVALID_VALUE;
  node.node->work = std::move(work);
  step.stale = true;
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver
