// SPDX-License-Identifier: Apache-2.0
// The work of a graph's node. Work names everything by handle, as the program did. Handles are looked up when
// the work is checked, sent to the worker, or executed.
#pragma once

#include "frontend/cuda/context.h"
#include "frontend/cuda/launch_check.h"

#include <memory>
#include <variant>
#include <vector>

namespace pegasus::driver {

struct KernelWork {
  void* function = nullptr; // a CUfunction or CUkernel
  LaunchShape shape{};
  bool cooperative = false;
  CUcontext context = nullptr;
  std::vector<std::byte> parameters; // packed
  std::vector<void*> pointers;       // into them, for callers that ask for the node's parameters
};
struct CopyWork {
  CUDA_MEMCPY3D what{}; // settled
};
struct FillWork {
  CUDA_MEMSET_NODE_PARAMS_v2 what{};
};
struct HostWork {
  CUhostFn function = nullptr;
  void* data = nullptr;
};
struct RecordWork {
  CUevent event = nullptr;
};
struct WaitWork {
  CUevent event = nullptr;
};
class GraphMemory; // graph_memory.h
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  std::shared_ptr<GraphMemory> memory;
};
struct EmptyWork {};
struct ChildWork {}; // the node owns the graph

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork,
                          ChildWork, AllocateWork, FreeWork>;

CUgraphNodeType type_of(Work const& work);

// Copies a launch's parameters into `work`, which has its other fields set, and checks the whole.
CUresult fill_in(Channel& channel, KernelWork& work, void* const* parameters, void* const* extra);
// Checks everything that a plain call would refuse at once.
CUresult check(Channel& channel, Work const& work);

// Returns true if this process executes the work, between the worker's steps. Otherwise it is sent once and
// stored by the worker.
bool done_by_guest(Work const& work);
// For work that the worker stores: sends it as requests of its graph `remote`. requests_of()
// returns their number.
CUresult send(Channel& channel, std::uint64_t remote, Work const& work);
std::size_t requests_of(Work const& work);
// For work that the guest executes: runs it in its place in the stream.
CUresult run(Channel& channel, CUstream stream, std::uint64_t remote_stream, Work const& work);

// The memset as a request, checked.
CUresult fill_request(Channel& channel, CUDA_MEMSET_NODE_PARAMS_v2 const& what, std::uint64_t stream,
                      pegasus_fill_request& request);

} // namespace pegasus::driver
