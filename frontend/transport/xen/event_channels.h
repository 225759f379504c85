// SPDX-License-Identifier: Apache-2.0
// Doorbells to and from another domain, over /dev/xen/evtchn.
#pragma once

#include <cstdint>

namespace pegasus::frontend {

class EventChannels {
public:
  EventChannels() = default;
  ~EventChannels() { release(); }
  EventChannels(EventChannels const&) = delete;
  EventChannels& operator=(EventChannels const&) = delete;

  [[nodiscard]] bool open(); // on failure errno is set
  // A port that `domain` may bind to.
  [[nodiscard]] bool offer(std::uint32_t domain, std::uint32_t& port);
  void ring(std::uint32_t port);
  // Waits until one of the ports rings or another thread calls nudge(), but not longer than the timeout.
  // Returns false on timeout.
  bool wait(std::uint64_t timeout_ns);
  void nudge();
  void release();

private:
  int file_ = -1;
  int nudge_ = -1;
};

} // namespace pegasus::frontend
