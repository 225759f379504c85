// SPDX-License-Identifier: Apache-2.0
// The driver's object for something that the program registered (a fatbin, a kernel, a variable), in each
// context that has used it. find() takes no lock: it is on the launch path. Writers hold the registry's lock.
#pragma once

#include "frontend/cudart/api.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace pegasus::cudart {

struct Binding {
  std::atomic<unsigned> generation{0}; // 0: free; otherwise the reset generation in which it is valid
  std::atomic<CUcontext> context{nullptr};
  std::atomic<std::uint64_t> value{0}; // CUmodule, CUfunction or CUdeviceptr
  std::atomic<std::size_t> bytes{0};   // of a variable
  std::atomic<int> failure{0};         // the cudaError_t of a load that cannot succeed later
  unsigned long long context_id = 0;   // a new context may get the address of an old one: then the ids differ
  Binding* next = nullptr;
};

class BindingList {
public:
  [[nodiscard]] Binding* find(CUcontext context, unsigned generation) const {
    for (Binding* at = head_.load(std::memory_order_acquire); at != nullptr; at = at->next)
      if (at->generation.load(std::memory_order_acquire) == generation &&
          at->context.load(std::memory_order_relaxed) == context)
        return at;
    return nullptr;
  }

  // Reuses an entry of an earlier generation: a program that resets the device repeatedly does not grow.
  [[nodiscard]] bool add(CUcontext context, unsigned generation, unsigned long long context_id,
                         std::uint64_t value, std::size_t bytes, cudaError_t failure) {
    Binding* entry = head_.load(std::memory_order_relaxed);
    while (entry != nullptr && entry->generation.load(std::memory_order_relaxed) == generation)
      entry = entry->next;
    bool const fresh = entry == nullptr;
    if (fresh) {
      void* const memory = std::malloc(sizeof(Binding));
      if (memory == nullptr) return false;
      entry = new (memory) Binding;
    }
    entry->generation.store(0, std::memory_order_release);
    entry->context.store(context, std::memory_order_relaxed);
    entry->value.store(value, std::memory_order_relaxed);
    entry->bytes.store(bytes, std::memory_order_relaxed);
    entry->failure.store(static_cast<int>(failure), std::memory_order_relaxed);
    entry->context_id = context_id;
    entry->generation.store(generation, std::memory_order_release);
    if (fresh) {
      entry->next = head_.load(std::memory_order_relaxed);
      head_.store(entry, std::memory_order_release);
    }
    return true;
  }

  // Marks the entry as free; it can be filled again.
  static void drop(Binding& entry) { entry.generation.store(0, std::memory_order_release); }

  template <class Visit> void each(unsigned generation, Visit&& visit) const {
    for (Binding* at = head_.load(std::memory_order_acquire); at != nullptr; at = at->next)
      if (at->generation.load(std::memory_order_acquire) == generation) visit(*at);
  }

  void clear() {
    for (Binding* at = head_.exchange(nullptr, std::memory_order_acq_rel); at != nullptr;) {
      Binding* const next = at->next;
      std::free(at);
      at = next;
    }
  }

private:
  std::atomic<Binding*> head_{nullptr};
};

} // namespace pegasus::cudart
