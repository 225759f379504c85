// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_memory.h"

#include "frontend/cuda/graph/graph.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace pegasus::driver {
namespace {

struct All {
  std::mutex mutex; // of the rest, and of what changes in a GraphMemory
  std::map<std::uint64_t, std::weak_ptr<GraphMemory>> by_address;
  GraphMemoryTotals totals;
};
// Never destroyed: exit handlers and other threads may still call CUDA.
All& all() {
  static All& one = *new All;
  return one;
}

void count(std::uint64_t& now, std::uint64_t& high, std::uint64_t bytes, bool more) {
  now = more ? now + bytes : now - bytes;
  high = std::max(high, now);
}

} // namespace

CUresult GraphMemory::make(Channel& channel, Context& context, std::uint64_t bytes, Shared& memory) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  Allocation allocation{.bytes = bytes, .origin = Allocation::Origin::graph, .context = &context};
  CUresult const status = allocate(channel, device_memory(), PEGASUS_MEMORY_DEVICE, allocation);
  if (status != CUDA_SUCCESS) return status;
  memory.reset(new GraphMemory(allocation));
  std::lock_guard lock(all().mutex);
  all().by_address[allocation.base] = memory;
  count(all().totals.reserved, all().totals.reserved_high, bytes, true);
  return CUDA_SUCCESS;
}

// The table decides: what a graph had with an older context may have had the same address.
GraphMemory::Shared GraphMemory::find(std::uint64_t address) {
  auto const now = device_memory().find(address);
  if (!now || now->origin != Allocation::Origin::graph) return nullptr;
  std::lock_guard lock(all().mutex);
  auto const found = all().by_address.find(address);
  return found == all().by_address.end() ? nullptr : found->second.lock();
}

bool GraphMemory::free(std::uint64_t address) {
  Shared const memory = find(address);
  std::lock_guard lock(all().mutex);
  if (!memory || !memory->allocated_) return false;
  memory->set_allocated(false);
  return true;
}

void GraphMemory::set_allocated(bool allocated) {
  if (allocated != allocated_) count(all().totals.used, all().totals.used_high, bytes(), allocated);
  allocated_ = allocated;
}

// A device that was reset, or a context that was destroyed, has taken it already.
GraphMemory::~GraphMemory() {
  bool const stays = allocated_;
  {
    std::lock_guard lock(all().mutex);
    set_allocated(false);
    count(all().totals.reserved, all().totals.reserved_high, bytes(), false);
    auto const found = all().by_address.find(address());
    if (found != all().by_address.end() && found->second.expired()) all().by_address.erase(found);
  }
  auto taken =
      device_memory().take(address(), [this](Allocation const& a) { return a.id == allocation_.id; });
  if (!taken) return;
  if (stays) {
    taken->origin = Allocation::Origin::device;
    (void)device_memory().insert(*taken);
    return;
  }
  (void)with_device([&](Channel& channel) {
    if (launched_) (void)ask(channel, pegasus_context_synchronize_request{});
    return free_device(channel, *taken);
  });
}

CUresult GraphMemoryUse::instantiate(std::vector<Node*> const& nodes) {
  std::vector<GraphMemory::Shared> allocated;
  for (Node const* const node : nodes) {
    if (auto const* const work = std::get_if<AllocateWork>(&node->work)) allocated.push_back(work->memory);
    if (auto const* const work = std::get_if<FreeWork>(&node->work)) {
      if (std::ranges::find(freed_, work->memory) != freed_.end()) return CUDA_ERROR_INVALID_VALUE;
      freed_.push_back(work->memory);
    }
  }
  std::lock_guard lock(all().mutex);
  if (std::ranges::any_of(allocated, [](auto const& memory) { return memory->instantiated_; }))
    return CUDA_ERROR_NOT_SUPPORTED;
  for (auto const& memory : allocated)
    memory->instantiated_ = true;
  allocated_ = std::move(allocated);
  return CUDA_SUCCESS;
}

GraphMemoryUse::~GraphMemoryUse() {
  std::lock_guard lock(all().mutex);
  for (auto const& memory : allocated_)
    memory->instantiated_ = false;
}

bool GraphMemoryUse::launch(bool free_first) {
  if (allocated_.empty() && freed_.empty()) return true;
  std::lock_guard lock(all().mutex);
  for (auto const& memory : allocated_)
    if (memory->allocated_ && !free_first) return false;
  for (auto const& memory : freed_)
    if (!memory->allocated_ && std::ranges::find(allocated_, memory) == allocated_.end()) return false;
  for (auto const& memory : allocated_) {
    memory->set_allocated(true);
    memory->launched_ = true;
  }
  for (auto const& memory : freed_)
    memory->set_allocated(false);
  return true;
}

GraphMemoryTotals graph_memory_totals() {
  std::lock_guard lock(all().mutex);
  return all().totals;
}

void reset_graph_memory_high(bool used) {
  std::lock_guard lock(all().mutex);
  GraphMemoryTotals& totals = all().totals;
  if (used)
    totals.used_high = totals.used;
  else
    totals.reserved_high = totals.reserved;
}

GraphMemory const* memory_of(Work const& work) {
  if (auto const* const allocate = std::get_if<AllocateWork>(&work)) return allocate->memory.get();
  auto const* const free = std::get_if<FreeWork>(&work);
  return free == nullptr ? nullptr : free->memory.get();
}

} // namespace pegasus::driver
