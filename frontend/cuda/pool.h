// SPDX-License-Identifier: Apache-2.0
// Memory pools. What a program frees in a stream's order its pool keeps, for what the stream allocates next: neither
// waits, nor asks the worker. What a pool keeps beyond its release threshold, 0 unless the program sets it, goes back to
// the accelerator when the program waits for the stream or the context; all of it, when memory is short.
#pragma once

#include "frontend/cuda/context.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/pool_memory.h"

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace pegasus::driver {

struct Pool {
  using Handle = CUmemoryPool;
  static constexpr Kind kind = Kind::pool;

  CUmemoryPool handle = nullptr;
  bool is_default = false;
  std::uint64_t most_bytes = 0; // that it may have; 0: as many as there are
  std::array<cuuint64_t, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD + 1> settings{1, 1, 1, 0};
  PoolMemory memory;

  [[nodiscard]] std::uint64_t threshold() const { return settings[CU_MEMPOOL_ATTR_RELEASE_THRESHOLD]; }
};

// Thread-safe.
class Pools {
public:
  using Blocks = std::vector<PoolMemory::Block>;

  // nullptr: there is no memory for it.
  Pool* make(std::uint64_t most_bytes);
  Pool* default_pool();
  Pool* current(); // cuMemAllocAsync's
  void choose(CUmemoryPool handle);
  void destroy(Channel& channel, Pool& pool);
  template <class Body> CUresult with(CUmemoryPool handle, Body body) {
    std::lock_guard lock(mutex_);
    Pool* const pool = find<Pool>(handle);
    return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*pool);
  }

  // Memory that the stream's next work may use, and its entry in the table.
  CUresult allocate(Channel& channel, Pool& pool, std::uint64_t stream, Allocation& allocation);
  // Frees what is no longer in the table, behind the stream's earlier work. Returns false if it is no pool's.
  bool keep(Allocation const& allocation, std::uint64_t stream);
  void forget(Allocation const& allocation); // it was freed otherwise
  void forget_all();                         // the device was reset

  // Calls `wait`, which waits for the stream, nullopt: for all of them. What was freed before that in its order, and
  // pools need not keep, is then the accelerator's.
  template <class Wait>
  CUresult wait_and_trim(Channel& channel, std::optional<std::uint64_t> stream, Wait wait) {
    Blocks unneeded = take(stream, &Pool::threshold);
    if (!stream) append(unneeded, take(PoolMemory::ended, nothing));
    CUresult const status = wait();
    free(channel, unneeded);
    return status;
  }
  void trim(Channel& channel, Pool& pool, std::uint64_t reserved);
  // What it freed goes back when the program waits for all streams, or memory is short: a wait here might be for work that
  // waits for the caller.
  void stream_ends(std::uint64_t stream);
  // Gives up all that pools keep. Returns whether that was anything.
  bool empty(Channel& channel);

private:
  static std::uint64_t nothing(Pool const&) { return 0; }
  static void append(Blocks& blocks, Blocks const& more) {
    blocks.insert(blocks.end(), more.begin(), more.end());
  }
  template <class Reserved> Blocks take(std::optional<std::uint64_t> stream, Reserved reserved);
  static void free(Channel& channel, std::span<PoolMemory::Block const> blocks);
  static void wait_and_free(Channel& channel, std::span<PoolMemory::Block const> blocks);
  Pool* make_locked(std::uint64_t most_bytes);
  Pool* default_locked();

  std::mutex mutex_;
  std::set<Pool*> pools_;
  Pool* default_ = nullptr;
  CUmemoryPool chosen_ = nullptr;   // nullptr: the default pool
  std::atomic<bool> keeps_ = false; // anything; may be true although none does
};

Pools& pools();

// Asks the worker for memory; when there is none, once more without what pools keep.
template <class Request> RoundTrip<Request> ask_for_memory(Channel& channel, Request const& request) {
  auto trip = ask(channel, request);
  if (trip.status == CUDA_ERROR_OUT_OF_MEMORY && pools().empty(channel)) trip = ask(channel, request);
  return trip;
}

template <class Reserved> Pools::Blocks Pools::take(std::optional<std::uint64_t> stream, Reserved reserved) {
  Blocks taken;
  if (!keeps_.load(std::memory_order_relaxed)) return taken;
  std::lock_guard lock(mutex_);
  bool keeps = false;
  for (Pool* const pool : pools_) {
    append(taken, pool->memory.take_kept(std::invoke(reserved, *pool), stream));
    keeps = keeps || pool->memory.keeps();
  }
  keeps_.store(keeps, std::memory_order_relaxed);
  return taken;
}

} // namespace pegasus::driver
