// SPDX-License-Identifier: Apache-2.0
#include "monitor/schedule_writer.h"

#include "xen-patches/abi/sched_state.h"

#include <algorithm>
#include <atomic>
#include <new>

namespace pegasus::monitor {

namespace {

static_assert(sizeof(xen_sched_state_hdr) == 64 && sizeof(xen_sched_state_vcpu) == 64);

template <class T> void store(T& word, auto value) {
  std::atomic_ref(word).store(static_cast<T>(value), std::memory_order_relaxed);
}

} // namespace

ScheduleWriter::ScheduleWriter(std::uint32_t domain, std::uint32_t vcpus)
    : vcpus_(vcpus), lines_(new Line[1 + vcpus]{}) {
  new (&lines_[0])
      xen_sched_state_hdr{XEN_SCHED_STATE_VERSION, vcpus, sizeof(Line), sizeof(Line), domain, {}};
  for (std::uint32_t id = 0; id < vcpus; ++id)
    new (&lines_[1 + id]) xen_sched_state_vcpu{};
  reader_ = ScheduleReader::open(std::as_bytes(std::span(lines_.get(), 1 + vcpus))).value();
}

Nanos ScheduleWriter::ran(Vcpu const& vcpu, Time until) {
  bool const running = vcpu.state == VcpuState::running;
  return running ? vcpu.ran + std::max(until - vcpu.since, Nanos{0}) : vcpu.ran;
}

void ScheduleWriter::learn(std::uint32_t id, VcpuState state, std::uint32_t cpu, Nanos used, Time now) {
  if (id >= vcpus_.size()) return;
  Vcpu& vcpu = vcpus_[id];
  if (!vcpu.known || vcpu.state != state) vcpu.since = now;
  vcpu.known = true;
  vcpu.state = state;
  vcpu.cpu = cpu;
  vcpu.ran = state == VcpuState::running ? used - (now - vcpu.since) : used;
  estimate(id, now);
  write(id, now);
}

void ScheduleWriter::change(std::uint32_t id, VcpuState state, std::uint32_t cpu, Time at) {
  if (id >= vcpus_.size()) return;
  Vcpu& vcpu = vcpus_[id];
  if (!vcpu.known || at < vcpu.updated) return;
  vcpu.ran = ran(vcpu, at);
  vcpu.since = at;
  vcpu.state = state;
  vcpu.cpu = cpu;
  estimate(id, at);
  write(id, at);
}

void ScheduleWriter::estimate(std::uint32_t id, Time now) {
  if (id >= vcpus_.size()) return;
  Vcpu& vcpu = vcpus_[id];
  if (!vcpu.known || !vcpu.credit.due(now)) return;
  vcpu.credit.learn(ran(vcpu, now), now);
  write(id, vcpu.updated);
}

void ScheduleWriter::write(std::uint32_t id, Time now) {
  Vcpu& vcpu = vcpus_[id];
  vcpu.updated = now;
  auto& slot = *std::launder(reinterpret_cast<xen_sched_state_vcpu*>(&lines_[1 + id]));
  store(slot.seq, slot.seq + 1);
  std::atomic_thread_fence(std::memory_order_release);
  store(slot.state, vcpu.state);
  store(slot.priority, XEN_SCHED_PRIORITY_none);
  store(slot.cpu, vcpu.cpu);
  store(slot.credit, vcpu.credit.left().count());
  store(slot.entry_time, vcpu.since.time_since_epoch().count());
  store(slot.update_time, vcpu.updated.time_since_epoch().count());
  store(slot.time[static_cast<std::size_t>(VcpuState::running)], vcpu.ran.count());
  std::atomic_ref(slot.seq).store(slot.seq + 1, std::memory_order_release);
}

} // namespace pegasus::monitor
