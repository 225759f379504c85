// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/output_buffer.h"

#include <algorithm>

namespace pegasus::software {

std::size_t OutputBuffer::pending_bytes(Kind kind) const {
  return kind == Kind::printf_text ? printf_bytes_ : diagnostic_bytes_;
}

void OutputBuffer::append(Kind kind, std::string_view text) {
  if (text.empty()) return;
  if (parts_.empty() || parts_.back().kind != kind) parts_.push_back({kind, {}});
  parts_.back().text.append(text);
  bytes_of(kind) += text.size();
}

void OutputBuffer::add(Kind kind, std::string_view text, std::size_t bound) {
  std::size_t const held = bytes_of(kind);
  std::size_t const kept = std::min(text.size(), bound > held ? bound - held : 0);
  append(kind, text.substr(0, kept));
  if (kept == text.size() || loss_told_) return;
  loss_told_ = true;
  append(Kind::diagnostic, kind == Kind::printf_text
                               ? "pegasus: device printf output was lost: its buffer is full. Synchronize "
                                 "more often or raise the printf "
                                 "FIFO size (cudaLimitPrintfFifoSize, CU_LIMIT_PRINTF_FIFO_SIZE).\n"
                               : "pegasus: further diagnostics were dropped: they are not read.\n");
}

device::Output OutputBuffer::take(std::size_t bytes) {
  if (parts_.empty()) return {Kind::printf_text, {}};
  device::Output& front = parts_.front();
  device::Output taken{front.kind, {}};
  if (bytes >= front.text.size()) {
    taken.text = std::move(front.text);
    parts_.pop_front();
  } else {
    taken.text = front.text.substr(0, bytes);
    front.text.erase(0, bytes);
  }
  bytes_of(taken.kind) -= taken.text.size();
  if (parts_.empty()) loss_told_ = false;
  return taken;
}

} // namespace pegasus::software
