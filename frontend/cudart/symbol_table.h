// SPDX-License-Identifier: Apache-2.0
// Host addresses to the kernels and variables registered under them. Any thread may look up, without a lock;
// one at a time may change (the registry's lock).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pegasus::cudart {

struct Symbol;

class SymbolTable {
public:
  [[nodiscard]] Symbol* find(void const* address) const;
  // false: out of memory. When several images register one address (a template's kernel), the first one
  // answers.
  [[nodiscard]] bool insert(void const* address, Symbol* symbol);
  void erase(void const* address, Symbol* symbol);
  // The first one that `wanted(Symbol const&)`; nullptr: none. Nobody inserts or erases meanwhile.
  template <class Wanted> [[nodiscard]] Symbol* find_if(Wanted&& wanted) const {
    Slots const* const slots = slots_.load(std::memory_order_acquire);
    for (std::size_t i = 0; slots != nullptr && i < slots->capacity; ++i) {
      Symbol* const symbol = slots->slot[i].symbol.load(std::memory_order_relaxed);
      if (symbol != nullptr && wanted(*symbol)) return symbol;
    }
    return nullptr;
  }

private:
  struct Slot {
    std::atomic<void const*> address;
    std::atomic<Symbol*> symbol; // null: erased
  };
  struct Slots {
    std::size_t capacity; // a power of two
    std::size_t used;     // erased ones included
    Slots* older; // readers may still be in them; half the size each, so all together no bigger than this one
    Slot slot[1];
  };

  static Slots* allocate(std::size_t capacity, Slots* older);
  static Slot* locate(Slots* slots, void const* address);
  [[nodiscard]] bool grow();

  std::atomic<Slots*> slots_{nullptr};
};

} // namespace pegasus::cudart
