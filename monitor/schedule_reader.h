// SPDX-License-Identifier: Apache-2.0
// Reads a domain's schedule from the pages that a patched Xen keeps (xen-patches/abi/sched_state.h): a
// few loads from memory, no hypercall, no lock. Times are Xen's system time. Pure: the caller maps the
// pages and passes them in.
#pragma once

#include "policies/view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

enum class VcpuState : std::uint8_t { running, runnable, blocked, offline }; // Xen's RUNSTATE_*

struct VcpuSchedule {
  VcpuState state;
  std::uint16_t priority; // XEN_SCHED_PRIORITY_*
  std::uint32_t cpu;      // the pCPU it runs on, or ran on last
  std::int32_t credit;    // in the scheduler's unit
  Time since;             // when the state was entered
  Time updated;           // when Xen wrote this entry
  Nanos ran;              // on pCPUs, before `since`
};

// What is left of the vCPU's credit, as time on a pCPU.
[[nodiscard]] Nanos credit_left(VcpuSchedule const& vcpu);

class ScheduleReader {
public:
  ScheduleReader() = default; // reads nothing
  // `pages` must stay mapped while the reader is in use. Returns nullopt if they have another
  // version or are malformed.
  [[nodiscard]] static std::optional<ScheduleReader> open(std::span<std::byte const> pages);

  [[nodiscard]] std::uint32_t vcpus() const { return vcpus_; }
  // Returns nullopt if there is no such vCPU, or if Xen wrote on every try (it does not).
  [[nodiscard]] std::optional<VcpuSchedule> vcpu(std::uint32_t id) const;

private:
  std::byte const* slots_ = nullptr;
  std::uint32_t slot_bytes_ = 0;
  std::uint32_t vcpus_ = 0;
};

} // namespace pegasus::monitor
