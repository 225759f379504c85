// SPDX-License-Identifier: Apache-2.0
// A fuzzer's bytes, taken from the front. When they run out, zeros follow: a short input is valid too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace pegasus::fuzz {

class Input {
public:
  Input(std::uint8_t const* data, std::size_t bytes) : rest_(std::as_bytes(std::span(data, bytes))) {}

  explicit Input(std::span<std::byte const> bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  template <class T> T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    auto const bytes = take_bytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  // Takes fewer bytes if fewer are left.
  std::span<std::byte const> take_bytes(std::size_t wanted) {
    auto const taken = rest_.first(std::min(wanted, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

private:
  std::span<std::byte const> rest_;
};

} // namespace pegasus::fuzz
