// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/trace_buffers.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <x86intrin.h>

extern "C" {
#include <xen/trace.h>
}

namespace pegasus::xen {

namespace {

// 2,047 changes a pCPU: more than a second's.
constexpr std::uint32_t pages_a_cpu = 8;
// Changes of states, and no more: each record costs Xen some time.
constexpr std::uint32_t wanted_events = TRC_SCHED_MIN;

xen_sysctl tbuf_op(std::uint32_t command) {
  xen_sysctl call{};
  call.cmd = XEN_SYSCTL_tbuf_op;
  call.u.tbuf_op.cmd = command;
  return call;
}

} // namespace

std::uint64_t TraceBuffers::counter() { return __rdtsc(); }

std::unique_ptr<TraceBuffers> TraceBuffers::open(Hypercalls& calls, xenforeignmemory_handle* memory) {
  if (memory == nullptr) return nullptr;
  std::unique_ptr<TraceBuffers> buffers(new TraceBuffers(calls, memory));
  return buffers->map() ? std::move(buffers) : nullptr;
}

TraceBuffers::~TraceBuffers() {
  for (Mapping const& mapping : mappings_)
    xenforeignmemory_unmap(memory_, mapping.address, mapping.pages);
}

std::byte* TraceBuffers::map(std::vector<xen_pfn_t> const& frames, int access) {
  std::vector<int> errors(frames.size());
  void* const address =
      xenforeignmemory_map(memory_, DOMID_XEN, access, frames.size(), frames.data(), errors.data());
  if (address == nullptr) return nullptr;
  mappings_.push_back({address, frames.size()});
  return std::ranges::all_of(errors, [](int error) { return error == 0; }) ? static_cast<std::byte*>(address)
                                                                           : nullptr;
}

bool TraceBuffers::tell(std::uint32_t command, std::uint32_t value) {
  xen_sysctl call = tbuf_op(command);
  call.u.tbuf_op.size = value;
  call.u.tbuf_op.evt_mask = value;
  return calls_.sysctl(call);
}

bool TraceBuffers::map() {
  xen_sysctl host{};
  host.cmd = XEN_SYSCTL_physinfo;
  if (!calls_.sysctl(host) || host.u.physinfo.cpu_khz == 0) return false;
  counter_khz_ = host.u.physinfo.cpu_khz;
  xen_sysctl info = tbuf_op(XEN_SYSCTL_TBUFOP_get_info);
  if (!calls_.sysctl(info)) return false;
  if (info.u.tbuf_op.size == 0) { // their size can be set once a boot; that also starts the tracing
    if (!tell(XEN_SYSCTL_TBUFOP_set_size, pages_a_cpu)) return false;
    stop();
    if (!calls_.sysctl(info) || info.u.tbuf_op.size == 0) return false;
  }
  ours_before_ = info.u.tbuf_op.evt_mask == wanted_events;
  // struct t_info: the size of each buffer, in pages; then for each pCPU where the list of its frames begins, in words.
  std::size_t const bytes = (info.u.tbuf_op.size + page_bytes - 1) / page_bytes * page_bytes;
  std::vector<xen_pfn_t> frames(bytes / page_bytes);
  for (std::size_t i = 0; i < frames.size(); ++i)
    frames[i] = info.u.tbuf_op.buffer_mfn + i;
  std::byte* const list = map(frames, PROT_READ);
  if (list == nullptr) return false;
  std::uint16_t pages = 0;
  std::memcpy(&pages, list, sizeof pages);
  for (std::uint32_t cpu = 0; cpu <= host.u.physinfo.max_cpu_id; ++cpu) {
    std::uint16_t first = 0;
    std::size_t const at = offsetof(t_info, mfn_offset) + cpu * sizeof first;
    if (at + sizeof first > bytes) return false;
    std::memcpy(&first, list + at, sizeof first);
    if (first == 0) continue; // the pCPU is offline
    if (pages == 0 || 4 * (std::size_t{first} + pages) > bytes) return false;
    std::vector<std::uint32_t> words(pages);
    std::memcpy(words.data(), list + std::size_t{4} * first, 4 * words.size());
    std::byte* const buffer = map({words.begin(), words.end()}, PROT_READ | PROT_WRITE);
    if (buffer == nullptr) return false;
    buffers_.emplace_back(std::span(buffer, pages * page_bytes), cpu);
    cpus_.push_back(cpu);
  }
  return !buffers_.empty();
}

bool TraceBuffers::has(std::uint32_t cpu) const { return std::ranges::binary_search(cpus_, cpu); }

bool TraceBuffers::in_use() {
  bool used = false;
  for (monitor::StateChanges& buffer : buffers_) {
    auto const [read, written] = buffer.look();
    used = used || read || (written && !ours_before_);
  }
  return used;
}

void TraceBuffers::take() {
  ours_before_ = false;
  for (monitor::StateChanges& buffer : buffers_)
    buffer.take();
}

bool TraceBuffers::start() {
  return tell(XEN_SYSCTL_TBUFOP_set_evt_mask, wanted_events) && tell(XEN_SYSCTL_TBUFOP_enable);
}

void TraceBuffers::stop() { (void)tell(XEN_SYSCTL_TBUFOP_disable); }

TraceBuffers::Changes TraceBuffers::drain() {
  changes_.clear();
  auto drained = monitor::StateChanges::Drained::all;
  for (monitor::StateChanges& buffer : buffers_)
    drained = std::max(drained, buffer.drain(changes_));
  if (!std::ranges::is_sorted(changes_, {}, &monitor::StateChange::tsc))
    std::ranges::stable_sort(changes_, {}, &monitor::StateChange::tsc);
  return {drained, changes_};
}

Time TraceBuffers::time_of(std::uint64_t tsc, std::uint64_t tsc_now, Time now) const {
  std::uint64_t const ago = tsc_now > tsc ? tsc_now - tsc : 0;
  return now -
         Nanos(static_cast<std::int64_t>(static_cast<double>(ago) * 1e6 / static_cast<double>(counter_khz_)));
}

} // namespace pegasus::xen
