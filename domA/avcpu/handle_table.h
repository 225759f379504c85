// SPDX-License-Identifier: Apache-2.0
// The handles of one guest: 64-bit numbers that are valid only here. A freed, foreign or invented handle
// finds nothing: its upper half is the generation of the entry, which changes whenever the entry is reused.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pegasus::avcpu {

template <class T> class HandleTable {
public:
  static constexpr std::size_t capacity = 1u << 16; // limits the memory that a guest can make us use

  // Returns 0 if the table is full.
  std::uint64_t insert(T value) {
    std::uint32_t index;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else if (entries_.size() < capacity) {
      index = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      return 0;
    }
    Entry& entry = entries_[index];
    entry.value.emplace(std::move(value));
    return static_cast<std::uint64_t>(entry.generation) << 32 | index;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size() - free_.size(); }

  // Returns nullptr if there is no such handle.
  T* find(std::uint64_t handle) {
    auto const index = static_cast<std::uint32_t>(handle);
    if (index >= entries_.size() || entries_[index].generation != handle >> 32 || !entries_[index].value)
      return nullptr;
    return &*entries_[index].value;
  }

  bool erase(std::uint64_t handle) {
    if (find(handle) == nullptr) return false;
    auto const index = static_cast<std::uint32_t>(handle);
    entries_[index].value.reset();
    ++entries_[index].generation;
    free_.push_back(index);
    return true;
  }

  template <class Predicate> void erase_if(Predicate predicate) {
    for (std::uint32_t index = 0; index < entries_.size(); ++index)
      if (entries_[index].value && predicate(*entries_[index].value))
        erase(static_cast<std::uint64_t>(entries_[index].generation) << 32 | index);
  }

  void clear() {
    erase_if([](T const&) { return true; });
  }

private:
  struct Entry {
    std::uint32_t generation = 1; // not 0: no handle is 0
    std::optional<T> value;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

} // namespace pegasus::avcpu
