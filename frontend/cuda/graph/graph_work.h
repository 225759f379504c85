// SPDX-License-Identifier: Apache-2.0
// What a node of a graph does. Work names everything by handle, as the program did: what a handle stands for
// is looked up when the work is checked, sent to the worker, or done.
#pragma once

#include "frontend/cuda/context.h"
#include "frontend/cuda/launch_check.h"

#include <variant>
#include <vector>

namespace pegasus::driver {

struct KernelWork {
  void* function = nullptr; // a CUfunction or CUkernel
  LaunchShape shape{};
  bool cooperative = false;
  CUcontext context = nullptr;
  std::vector<std::byte> parameters; // packed
  std::vector<void*> pointers;       // into them, for whoever asks for the node's parameters
};
struct CopyWork {
  CUDA_MEMCPY3D what{};
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
struct EmptyWork {};
struct ChildWork {}; // the graph is the node's

using Work =
    std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, ChildWork>;

CUgraphNodeType type_of(Work const& work);

// Takes a launch's parameters into `work`, whose other fields are set, and checks the whole.
CUresult fill_in(Channel& channel, KernelWork& work, void* const* parameters, void* const* extra);
// Everything that a plain call would refuse at once.
CUresult check(Channel& channel, Work const& work);

// Is it done by this process, between what the worker does? Else it is sent once and kept there.
bool done_by_guest(Work const& work);
// Of work that the worker keeps: as requests of its graph `remote`; `count`: how many.
CUresult send(Channel& channel, std::uint64_t remote, Work const& work);
std::size_t requests_of(Work const& work);
// Of work that the guest does: in its place in the stream.
CUresult run(Channel& channel, CUstream stream, std::uint64_t remote_stream, Work const& work);

// The wire's form of a memset, checked.
CUresult fill_request(Channel& channel, CUDA_MEMSET_NODE_PARAMS_v2 const& what, std::uint64_t stream,
                      pegasus_fill_request& request);

} // namespace pegasus::driver
