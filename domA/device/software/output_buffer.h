// SPDX-License-Identifier: Apache-2.0
// Pending text for the program, limited: device printf and diagnostics, in order.
#pragma once

#include "domA/device/device.h"

#include <cstddef>
#include <deque>
#include <string_view>

namespace pegasus::software {

class OutputBuffer {
public:
  using Kind = device::Output::Kind;

  // Keeps the part of `text` that fits; the rest is lost. The first loss since the buffer was last empty is
  // reported in a diagnostic. `bound` limits the pending text of that kind.
  void add(Kind kind, std::string_view text, std::size_t bound);
  // Oldest first, of one kind; empty text if there is none, or bytes == 0.
  [[nodiscard]] device::Output take(std::size_t bytes);
  [[nodiscard]] bool pending() const { return !parts_.empty(); }
  [[nodiscard]] std::size_t pending_bytes(Kind kind) const;

private:
  void append(Kind kind, std::string_view text);
  std::size_t& bytes_of(Kind kind) { return kind == Kind::printf_text ? printf_bytes_ : diagnostic_bytes_; }

  std::deque<device::Output> parts_; // adjacent parts differ in kind; none is empty
  std::size_t printf_bytes_ = 0;
  std::size_t diagnostic_bytes_ = 0;
  bool loss_told_ = false;
};

} // namespace pegasus::software
