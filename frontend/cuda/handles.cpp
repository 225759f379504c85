// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/handles.h"

#include <sys/mman.h>

namespace pegasus::driver {
namespace {

constinit HandleTable process_handles; // constant-initialised, never destroyed: usable from exit handlers

} // namespace

HandleTable& handles() { return process_handles; }

void* HandleTable::insert(Kind kind, void* object) {
  std::lock_guard lock(mutex_);
  Cell* cells = cells_.load(std::memory_order_relaxed);
  if (cells == nullptr) { // reserves address space only; pages are allocated on use
    void* const memory = mmap(nullptr, capacity * sizeof(Cell), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    cells = static_cast<Cell*>(memory); // zero pages: object nullptr, kind none
    cells_.store(cells, std::memory_order_release);
  }
  std::uint32_t index = used_;
  if (free_count_ > reuse_delay || (used_ == capacity && free_count_ > 0)) {
    index = free_head_;
    free_head_ = cells[index].next_free;
    --free_count_;
  } else if (used_ == capacity) {
    return nullptr;
  } else {
    ++used_;
  }
  cells[index].object.store(object, std::memory_order_relaxed);
  cells[index].kind.store(kind, std::memory_order_release);
  return &cells[index];
}

void* HandleTable::erase(void const* handle, Kind kind) {
  Cell* const cell = cell_of(handle);
  if (cell == nullptr || kind == Kind::none) return nullptr;
  std::lock_guard lock(mutex_);
  if (cell->kind.load(std::memory_order_relaxed) != kind) return nullptr;
  void* const object = cell->object.load(std::memory_order_relaxed);
  cell->kind.store(Kind::none, std::memory_order_release);
  auto const index = static_cast<std::uint32_t>(cell - cells_.load(std::memory_order_relaxed));
  if (free_count_ == 0)
    free_head_ = index;
  else
    cells_.load(std::memory_order_relaxed)[free_tail_].next_free = index;
  free_tail_ = index;
  ++free_count_;
  return object;
}

} // namespace pegasus::driver
