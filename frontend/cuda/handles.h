// SPDX-License-Identifier: Apache-2.0
// A CUmodule, CUfunction, CUstream, ... points to a cell of this table, which holds the object's type. A cell
// is never unmapped: a freed or wrong-kind handle is recognised by its cell, and a pointer outside the table
// is recognised by its value. A handle from the program is never dereferenced before it is checked.
//
// find() is lock-free (the launch path uses it three times); insert() and erase() take a lock. Freed cells
// are reused last, so a stale handle keeps failing for a long while. Using an object while another thread
// destroys it is an error of the program, as in CUDA.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace pegasus::driver {

enum class Kind : std::uint32_t {
  none,
  context,
  module,
  function,
  kernel,
  library,
  stream,
  event,
  link,
  pool,
  graph,
  graph_node,
  graph_exec,
  array,
  mipmapped_array
};

class HandleTable {
public:
  // The worker limits the handles of a task to a similar number. Beyond capacity, insert() returns nullptr.
  static constexpr std::size_t capacity = 1u << 18;
  // This many cells are freed before the first of them is reused.
  static constexpr std::size_t reuse_delay = 4096;

  [[nodiscard]] void* insert(Kind kind, void* object);
  [[nodiscard]] void* find(void const* handle, Kind kind) const {
    Cell const* const cell = cell_of(handle);
    if (cell == nullptr || cell->kind.load(std::memory_order_acquire) != kind) return nullptr;
    return cell->object.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Kind kind_of(void const* handle) const {
    Cell const* const cell = cell_of(handle);
    return cell == nullptr ? Kind::none : cell->kind.load(std::memory_order_acquire);
  }
  // Returns the object to exactly one of several callers; nullptr if there is no such handle.
  void* erase(void const* handle, Kind kind);

  // The objects of a kind that satisfy a predicate. While the predicate runs no object is erased, so it can
  // safely read objects of other owners.
  template <class Predicate> [[nodiscard]] std::vector<void*> select(Kind kind, Predicate predicate) {
    std::lock_guard lock(mutex_);
    std::vector<void*> selected;
    Cell const* const cells = cells_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < used_; ++i) {
      void* const object = cells[i].object.load(std::memory_order_relaxed);
      if (cells[i].kind.load(std::memory_order_relaxed) == kind && predicate(object))
        selected.push_back(object);
    }
    return selected;
  }

private:
  struct Cell {
    std::atomic<void*> object;
    std::atomic<Kind> kind;
    std::uint32_t next_free;
  };

  [[nodiscard]] Cell* cell_of(void const* handle) const {
    Cell* const cells = cells_.load(std::memory_order_acquire);
    std::uintptr_t const offset =
        reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(cells);
    if (cells == nullptr || offset >= capacity * sizeof(Cell) || offset % sizeof(Cell) != 0) return nullptr;
    return cells + offset / sizeof(Cell);
  }

  std::mutex mutex_;
  std::atomic<Cell*> cells_ = nullptr;
  std::uint32_t used_ = 0;
  std::uint32_t free_head_ = 0, free_tail_ = 0, free_count_ = 0; // a queue linked by next_free
};

HandleTable& handles();

// T declares `using Handle` and `static constexpr Kind kind`.
template <class T> T* find(typename T::Handle handle) {
  return static_cast<T*>(handles().find(handle, T::kind));
}
template <class T> typename T::Handle insert(T* object) {
  return static_cast<typename T::Handle>(handles().insert(T::kind, object));
}
template <class T> T* erase(typename T::Handle handle) {
  return static_cast<T*>(handles().erase(handle, T::kind));
}

} // namespace pegasus::driver
