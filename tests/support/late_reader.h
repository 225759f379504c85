// SPDX-License-Identifier: Apache-2.0
// A device that reads the sources of copies late: when a test says so, or after a number of looks.
#pragma once

#include "tests/support/null_device.h"

#include <deque>

namespace pegasus::testing {

class LateReader : public NullContext {
public:
  explicit LateReader(unsigned looks_per_read = 0) : looks_per_read_(looks_per_read) {}

  Status copy_to_device(device::Stream*, Rect const& target, std::span<std::byte const> source) override {
    if (target.address > memory_bytes) return Status::invalid_value;
    waiting_.push_back({target, source});
    ++reads_.begun;
    return Status::success;
  }
  Status copy_from_device(device::Stream* stream, std::span<std::byte> target, Rect const& source) override {
    while (read_one()) // a stream's work completes in order
      ;
    return NullContext::copy_from_device(stream, target, source);
  }
  device::HostReads host_reads() override {
    if (looks_per_read_ != 0 && ++looks_ % looks_per_read_ == 0) (void)read_one();
    return reads_;
  }
  void finish_host_reads() override {
    ++finishes;
    while (read_one())
      ;
  }

  bool read_one() {
    if (waiting_.empty()) return false;
    auto const [target, source] = waiting_.front();
    waiting_.pop_front();
    ++reads_.done;
    return NullContext::copy_to_device(nullptr, target, source) == Status::success;
  }
  unsigned finishes = 0;

private:
  struct Copy {
    Rect target;
    std::span<std::byte const> source;
  };
  std::deque<Copy> waiting_;
  device::HostReads reads_;
  unsigned looks_per_read_;
  unsigned looks_ = 0;
};

} // namespace pegasus::testing
