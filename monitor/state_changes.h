// SPDX-License-Identifier: Apache-2.0
// Reads changes of vCPUs' states from one pCPU's buffer of Xen's traces (xen/public/trace.h: struct t_buf, then records). Xen
// writes on while we read; a buffer has one reader. Pure: the caller maps the buffer and passes it in.
#pragma once

#include "monitor/schedule_reader.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pegasus::monitor {

struct StateChange {
  std::uint64_t tsc; // of the pCPU, at the change
  std::uint32_t domain;
  std::uint32_t vcpu;
  std::uint32_t cpu;
  VcpuState state; // from now on
};

class StateChanges {
public:
  enum class Drained : std::uint8_t {
    all,   // since the last time
    lost,  // Xen had no room for some, or the buffer makes no sense: all states must be asked for
    taken, // somebody else reads this buffer, too
  };
  // `buffer` must stay mapped, aligned to 4 bytes, and hold its header and one record.
  StateChanges(std::span<std::byte> buffer, std::uint32_t cpu);

  // Since the last look...
  struct Use {
    bool read = false;    // somebody has read
    bool written = false; // Xen has written
  };
  [[nodiscard]] Use look();

  // From now on we are the reader; what Xen has written until now is left out.
  void take();
  // Appends what Xen has written since, in its order.
  Drained drain(std::vector<StateChange>& changes);

private:
  [[nodiscard]] std::uint32_t consumed() const;
  [[nodiscard]] std::uint32_t produced() const;
  [[nodiscard]] std::uint32_t word(std::uint32_t offset) const;
  void consume(std::uint32_t up_to);

  std::byte* buffer_;
  std::uint32_t bytes_; // of records
  std::uint32_t cpu_;
  std::uint32_t consumed_; // as we left it in the buffer, or saw it
  std::uint32_t produced_; // as we saw it
};

} // namespace pegasus::monitor
