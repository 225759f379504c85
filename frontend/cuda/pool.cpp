// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/pool.h"

#include "frontend/cuda/stream.h"

#include <algorithm>
#include <memory>

namespace pegasus::driver {

// Never destroyed: exit handlers and other threads may still call CUDA.
Pools& pools() {
  static Pools& all = *new Pools;
  return all;
}

Pool* Pools::make_locked(std::uint64_t most_bytes) {
  auto pool = std::make_unique<Pool>();
  pool->most_bytes = most_bytes;
  pools_.insert(pool.get());
  pool->handle = insert<Pool>(pool.get());
  if (pool->handle != nullptr) return pool.release();
  pools_.erase(pool.get());
  return nullptr;
}

Pool* Pools::make(std::uint64_t most_bytes) {
  std::lock_guard lock(mutex_);
  return make_locked(most_bytes);
}

Pool* Pools::default_locked() {
  if (default_ != nullptr) return default_;
  default_ = make_locked(0);
  if (default_ != nullptr) default_->is_default = true;
  return default_;
}

Pool* Pools::default_pool() {
  std::lock_guard lock(mutex_);
  return default_locked();
}

Pool* Pools::current() {
  std::lock_guard lock(mutex_);
  Pool* const chosen = find<Pool>(chosen_);
  return chosen == nullptr ? default_locked() : chosen;
}

void Pools::choose(CUmemoryPool handle) {
  std::lock_guard lock(mutex_);
  chosen_ = handle;
}

// What the program still uses of it is freed as if it had never been a pool's.
void Pools::destroy(Channel& channel, Pool& pool) {
  Blocks kept;
  {
    std::lock_guard lock(mutex_);
    std::unique_ptr<Pool> const mine(erase<Pool>(pool.handle));
    if (!mine) return;
    kept = mine->memory.take_kept(0);
    pools_.erase(mine.get());
  }
  wait_and_free(channel, kept);
}

CUresult Pools::allocate(Channel& channel, Pool& pool, std::uint64_t stream, Allocation& allocation) {
  allocation.pool = pool.handle;
  Blocks instead; // what the pool gives up for it
  bool too_much = false;
  {
    std::lock_guard lock(mutex_);
    if (auto const base = pool.memory.reuse(stream, allocation.bytes)) {
      allocation.base = *base;
      allocation.id = next_id();
      return device_memory().insert(allocation) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
    }
    if (pool.most_bytes != 0) {
      std::uint64_t const rest = pool.most_bytes - std::min(allocation.bytes, pool.most_bytes);
      too_much = allocation.bytes > pool.most_bytes || pool.memory.used() > rest;
      if (!too_much) instead = pool.memory.take_kept(rest);
    }
  }
  if (too_much) return CUDA_ERROR_OUT_OF_MEMORY;
  wait_and_free(channel, instead);
  CUresult const status = driver::allocate(channel, device_memory(), PEGASUS_MEMORY_DEVICE, allocation);
  if (status != CUDA_SUCCESS) return status;
  std::lock_guard lock(mutex_);
  pool.memory.add(allocation.base, allocation.bytes);
  return CUDA_SUCCESS;
}

bool Pools::keep(Allocation const& allocation, std::uint64_t stream) {
  std::lock_guard lock(mutex_);
  Pool* const pool = find<Pool>(allocation.pool);
  if (pool == nullptr || !pool->memory.keep(allocation.base, stream)) return false;
  keeps_.store(true, std::memory_order_relaxed);
  return true;
}

void Pools::forget(Allocation const& allocation) {
  if (allocation.pool == nullptr) return;
  std::lock_guard lock(mutex_);
  if (Pool* const pool = find<Pool>(allocation.pool)) pool->memory.remove(allocation.base);
}

void Pools::forget_all() {
  std::lock_guard lock(mutex_);
  for (Pool* const pool : pools_)
    pool->memory = {};
}

void Pools::trim(Channel& channel, Pool& pool, std::uint64_t reserved) {
  Blocks kept;
  {
    std::lock_guard lock(mutex_);
    kept = pool.memory.take_kept(reserved);
  }
  wait_and_free(channel, kept);
}

void Pools::stream_ends(std::uint64_t stream) {
  if (!keeps_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex_);
  for (Pool* const pool : pools_)
    pool->memory.end(stream);
}

bool Pools::empty(Channel& channel) {
  Blocks const kept = take(std::nullopt, nothing);
  wait_and_free(channel, kept);
  return !kept.empty();
}

// A device context that is broken frees nothing; what it had is gone with it.
void Pools::free(Channel& channel, std::span<PoolMemory::Block const> blocks) {
  for (PoolMemory::Block const& block : blocks)
    (void)ask(channel, pegasus_memory_free_request{block.base});
}

void Pools::wait_and_free(Channel& channel, std::span<PoolMemory::Block const> blocks) {
  std::set<std::uint64_t> streams;
  for (PoolMemory::Block const& block : blocks)
    streams.insert(block.stream);
  for (std::uint64_t const stream : streams)
    (void)(stream == PoolMemory::ended ? ask(channel, pegasus_context_synchronize_request{}).status
                                       : synchronize_stream(channel, stream));
  free(channel, blocks);
}

} // namespace pegasus::driver
