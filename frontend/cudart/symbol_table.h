// SPDX-License-Identifier: Apache-2.0
// Maps host addresses to the kernels and variables registered under them. Any thread may look up, without a
// lock; changes need the registry's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pegasus::cudart {

struct Symbol;

class SymbolTable {
public:
  [[nodiscard]] Symbol* find(void const* address) const;
  // Returns false if memory is exhausted. If several images register one address (a template's kernel), the
  // first one is found.
  [[nodiscard]] bool insert(void const* address, Symbol* symbol);
  void erase(void const* address, Symbol* symbol);
  // The first symbol for which `wanted(Symbol const&)` is true; nullptr if there is none. The caller prevents
  // concurrent inserts and erases.
  template <class Predicate> [[nodiscard]] Symbol* find_if(Predicate&& predicate) const {
    Slots const* const slots = slots_.load(std::memory_order_acquire);
    for (std::size_t i = 0; slots != nullptr && i < slots->capacity; ++i) {
      Symbol* const symbol = slots->slot[i].symbol.load(std::memory_order_relaxed);
      if (symbol != nullptr && predicate(*symbol)) return symbol;
    }
    return nullptr;
  }

private:
  struct Slot {
    std::atomic<void const*> address;
    std::atomic<Symbol*> symbol; // nullptr: erased
  };
  struct Slots {
    std::size_t capacity; // a power of two
    std::size_t used;     // includes erased ones
    // Readers may still use them. Each is half as big as the next, so together they are no bigger
    // than this one.
    Slots* older;
    Slot slot[1];
  };

  static Slots* allocate(std::size_t capacity, Slots* older);
  static Slot* locate(Slots* slots, void const* address);
  [[nodiscard]] bool grow();

  std::atomic<Slots*> slots_{nullptr};
};

} // namespace pegasus::cudart
