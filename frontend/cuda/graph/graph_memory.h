// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free. An allocation node has its address from the beginning, and the memory behind it
// for as long as the graph or an executable copy of it exists: a launch only notes whether the program may use it.
#pragma once

#include "frontend/cuda/graph/graph_work.h"
#include "frontend/cuda/memory_table.h"

#include <memory>
#include <span>
#include <vector>

namespace pegasus::driver {

struct Node; // graph.h

// Thread-safe.
class GraphMemory {
public:
  using Shared = std::shared_ptr<GraphMemory>;

  static CUresult make(Channel& channel, Context& context, std::uint64_t bytes, Shared& memory);
  // nullptr: no graph has memory that begins at this address.
  static Shared find(std::uint64_t address);
  // If the program may use it, it no longer may. Otherwise returns false.
  static bool free(std::uint64_t address);

  GraphMemory(GraphMemory const&) = delete;
  GraphMemory& operator=(GraphMemory const&) = delete;
  // What the program may use stays its own, as if it had allocated it itself.
  ~GraphMemory();

  [[nodiscard]] std::uint64_t address() const { return allocation_.base; }
  [[nodiscard]] std::uint64_t bytes() const { return allocation_.bytes; }

private:
  friend class GraphMemoryUse;
  explicit GraphMemory(Allocation const& allocation) : allocation_(allocation) {}
  void set_allocated(bool allocated);

  Allocation allocation_;
  // Under the one lock:
  bool allocated_ = false;    // the program may use it
  bool launched_ = false;     // work on the device may use it
  bool instantiated_ = false; // an executable graph allocates it
};

// Of an executable graph.
class GraphMemoryUse {
public:
  // CUDA_ERROR_NOT_SUPPORTED: another one allocates the same memory.
  CUresult instantiate(std::vector<Node*> const& nodes);
  ~GraphMemoryUse();
  GraphMemoryUse() = default;
  GraphMemoryUse(GraphMemoryUse const&) = delete;
  GraphMemoryUse& operator=(GraphMemoryUse const&) = delete;

  // Before a launch. Returns false if what the graph allocates is not free, unless `free_first`, or what it frees is not
  // allocated.
  bool launch(bool free_first);

private:
  std::vector<GraphMemory::Shared> allocated_, freed_;
};

// What graphs have on the device, in bytes, now and at most.
struct GraphMemoryTotals {
  std::uint64_t used = 0, used_high = 0;
  std::uint64_t reserved = 0, reserved_high = 0;
};
GraphMemoryTotals graph_memory_totals();
void reset_graph_memory_high(bool used);

// What the work allocates or frees; nullptr: nothing.
GraphMemory const* memory_of(Work const& work);

} // namespace pegasus::driver
