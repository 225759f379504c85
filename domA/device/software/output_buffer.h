// SPDX-License-Identifier: Apache-2.0
// Text waiting for the program, bounded: device printf and diagnostics, in the order they arose.
#pragma once

#include "domA/device/device.h"

#include <cstddef>
#include <deque>
#include <string_view>

namespace pegasus::software {

class OutputBuffer {
public:
  using Kind = device::Output::Kind;

  // What fits of `text` is kept, the rest is lost; the first loss since the buffer was last empty is told in
  // a diagnostic. `bound` is for the pending text of that kind.
  void add(Kind kind, std::string_view text, std::size_t bound);
  [[nodiscard]] device::Output
  take(std::size_t bytes); // oldest first, of one kind; empty text: none, or bytes == 0
  [[nodiscard]] bool pending() const { return !parts_.empty(); }
  [[nodiscard]] std::size_t pending_bytes(Kind kind) const;

private:
  void append(Kind kind, std::string_view text);
  std::size_t& bytes_of(Kind kind) { return kind == Kind::printf_text ? printf_bytes_ : diagnostic_bytes_; }

  std::deque<device::Output> parts_; // neighbours differ in kind; none is empty
  std::size_t printf_bytes_ = 0;
  std::size_t diagnostic_bytes_ = 0;
  bool loss_told_ = false;
};

} // namespace pegasus::software
