// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/symbol_table.h"

#include "frontend/cudart/registry.h"

#include <cstdlib>

namespace pegasus::cudart {
namespace {

constexpr std::size_t first_capacity = 256;

std::size_t hash(void const* address) {
  // Fibonacci hashing: functions are aligned to 16 bytes, so the low bits carry little information.
  return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15ull) >> 20);
}

} // namespace

SymbolTable::Slots* SymbolTable::allocate(std::size_t capacity, Slots* older) {
  // An empty slot is all zero bytes: null atomics of pointer size.
  auto* const slots = static_cast<Slots*>(std::calloc(1, sizeof(Slots) + (capacity - 1) * sizeof(Slot)));
  if (slots == nullptr) return nullptr;
  slots->capacity = capacity;
  slots->older = older;
  return slots;
}

// The slot of `address`, or the empty slot where it belongs. There is always an empty one.
SymbolTable::Slot* SymbolTable::locate(Slots* slots, void const* address) {
  Slot* const first = slots->slot;
  for (std::size_t at = hash(address);; ++at) {
    Slot* const slot = first + (at & (slots->capacity - 1));
    void const* const found = slot->address.load(std::memory_order_acquire);
    if (found == address || found == nullptr) return slot;
  }
}

Symbol* SymbolTable::find(void const* address) const {
  Slots* const slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr || address == nullptr) return nullptr;
  return locate(slots, address)->symbol.load(std::memory_order_acquire);
}

bool SymbolTable::grow() {
  Slots* const old = slots_.load(std::memory_order_relaxed);
  Slots* const bigger = allocate(old == nullptr ? first_capacity : old->capacity * 2, old);
  if (bigger == nullptr) return false;
  for (std::size_t i = 0; old != nullptr && i < old->capacity; ++i) {
    Slot const& slot = old->slot[0 + i];
    Symbol* const symbol = slot.symbol.load(std::memory_order_relaxed);
    if (symbol == nullptr) continue;
    void const* const address = slot.address.load(std::memory_order_relaxed);
    Slot* const target = locate(bigger, address);
    target->symbol.store(symbol, std::memory_order_relaxed);
    target->address.store(address, std::memory_order_relaxed);
    ++bigger->used;
  }
  slots_.store(bigger, std::memory_order_release);
  return true;
}

bool SymbolTable::insert(void const* address, Symbol* symbol) {
  if (address == nullptr) return true; // it is never looked up
  Slots* slots = slots_.load(std::memory_order_relaxed);
  if (slots == nullptr || slots->used * 2 >= slots->capacity) {
    if (!grow()) return false;
    slots = slots_.load(std::memory_order_relaxed);
  }
  Slot* const slot = locate(slots, address);
  if (Symbol* last = slot->symbol.load(std::memory_order_relaxed)) {
    while (last->same_address != nullptr)
      last = last->same_address;
    last->same_address = symbol;
    return true;
  }
  slot->symbol.store(symbol, std::memory_order_release);
  if (slot->address.load(std::memory_order_relaxed) == nullptr) {
    slot->address.store(address, std::memory_order_release);
    ++slots->used;
  }
  return true;
}

void SymbolTable::erase(void const* address, Symbol* symbol) {
  Slots* const slots = slots_.load(std::memory_order_relaxed);
  if (slots == nullptr || address == nullptr) return;
  Slot* const slot = locate(slots, address);
  Symbol* const first = slot->symbol.load(std::memory_order_relaxed);
  if (first == symbol) {
    // Under its own handle it is alone: the others are those with its host address.
    Symbol* const next = address == symbol ? nullptr : symbol->same_address;
    slot->symbol.store(next, std::memory_order_release);
    return;
  }
  for (Symbol* at = first; at != nullptr; at = at->same_address)
    if (at->same_address == symbol) {
      at->same_address = symbol->same_address;
      return;
    }
}

} // namespace pegasus::cudart
