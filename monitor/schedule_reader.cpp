// SPDX-License-Identifier: Apache-2.0
#include "monitor/schedule_reader.h"

#include "xen-patches/abi/sched_state.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace pegasus::monitor {

namespace {

// A write takes Xen some tens of nanoseconds and happens at most a few times a millisecond.
constexpr int tries = 64;

// Xen's credit scheduler takes 10 credits for a millisecond. credit2 has no priorities and
// counts nanoseconds.
constexpr Nanos one_credit{100'000};

template <class T> T load(T const& word) {
  // only a read, but atomic_ref needs a non-const T
  return std::atomic_ref(const_cast<T&>(word)).load(std::memory_order_relaxed);
}

Nanos as_time(std::uint64_t ns) { return Nanos(static_cast<std::int64_t>(ns)); }

} // namespace

// The priority is checked before the credit's sign: the scheduler refills only vCPUs that it has
// seen running.
Nanos credit_left(VcpuSchedule const& vcpu) {
  if (vcpu.priority == XEN_SCHED_PRIORITY_none) return Nanos(std::max(vcpu.credit, 0));
  if (vcpu.priority == XEN_SCHED_PRIORITY_over) return Nanos{0};
  return std::max(vcpu.credit, 1) * one_credit;
}

std::optional<ScheduleReader> ScheduleReader::open(std::span<std::byte const> pages) {
  xen_sched_state_hdr header;
  if (pages.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, pages.data(), sizeof header);
  std::uint64_t const end = header.slot_offset + std::uint64_t{header.nr_vcpus} * header.slot_size;
  if (header.version != XEN_SCHED_STATE_VERSION || header.slot_size < sizeof(xen_sched_state_vcpu) ||
      (header.slot_offset | header.slot_size) % alignof(xen_sched_state_vcpu) != 0 || end > pages.size())
    return std::nullopt;
  ScheduleReader reader;
  reader.slots_ = pages.data() + header.slot_offset;
  reader.slot_bytes_ = header.slot_size;
  reader.vcpus_ = header.nr_vcpus;
  return reader;
}

std::optional<VcpuSchedule> ScheduleReader::vcpu(std::uint32_t id) const {
  if (id >= vcpus_) return std::nullopt;
  auto const& slot = *reinterpret_cast<xen_sched_state_vcpu const*>(slots_ + std::size_t{id} * slot_bytes_);
  for (int i = 0; i < tries; ++i) {
    std::uint32_t const before = load(slot.seq);
    std::atomic_thread_fence(std::memory_order_acquire);
    VcpuSchedule const read{static_cast<VcpuState>(std::min<std::uint16_t>(load(slot.state), 3)),
                            load(slot.priority),
                            load(slot.cpu),
                            load(slot.credit),
                            Time{as_time(load(slot.entry_time))},
                            Time{as_time(load(slot.update_time))},
                            as_time(load(slot.time[static_cast<std::size_t>(VcpuState::running)]))};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before == 0) return std::nullopt;
    if ((before & 1) == 0 && load(slot.seq) == before) return read;
  }
  return std::nullopt;
}

} // namespace pegasus::monitor
