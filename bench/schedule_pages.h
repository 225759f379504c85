// SPDX-License-Identifier: Apache-2.0
// A host's pages of the hypervisor's CPU schedule, and a thread that writes them as Xen would.
#pragma once

#include "monitor/schedule_reader.h"

#include "xen-patches/abi/sched_state.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <pthread.h>
#include <thread>
#include <vector>

namespace pegasus::bench {

// Per vCPU. Xen lets a running vCPU keep its pCPU for a millisecond. A sleeping one may change more often.
inline constexpr std::uint64_t changes_per_second = 1000;

inline void pin_to(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

struct alignas(4096) Page {
  std::byte bytes[4096]{};
};

// Domains' pages as the hypervisor's patch lays them out and writes them.
class Host {
public:
  Host(std::uint32_t domains, std::uint32_t vcpus) : vcpus_(vcpus), pages_(domains) {
    for (std::uint32_t id = 0; id < domains; ++id) {
      *reinterpret_cast<xen_sched_state_hdr*>(pages_[id].bytes) = {
          XEN_SCHED_STATE_VERSION, vcpus, sizeof(xen_sched_state_hdr), sizeof(xen_sched_state_vcpu), id, {}};
      auto const reader = monitor::ScheduleReader::open(pages_[id].bytes);
      if (!reader) std::abort();
      readers_[id] = *reader;
    }
    for (std::uint64_t i = 0; i < slots(); ++i)
      write(i);
  }

  [[nodiscard]] std::uint64_t slots() const { return pages_.size() * vcpus_; }
  [[nodiscard]] std::uint32_t domains() const { return static_cast<std::uint32_t>(pages_.size()); }
  [[nodiscard]] std::uint32_t vcpus() const { return vcpus_; }
  [[nodiscard]] monitor::ScheduleReader const& reader(std::uint32_t domain) const {
    return readers_.find(domain)->second;
  }
  [[nodiscard]] std::byte const* slot(std::size_t domain, std::size_t vcpu) const {
    return pages_[domain].bytes + sizeof(xen_sched_state_hdr) + vcpu * sizeof(xen_sched_state_vcpu);
  }

  void write(std::uint64_t number) {
    std::byte* const first = pages_[number / vcpus_ % pages_.size()].bytes + sizeof(xen_sched_state_hdr);
    auto& slot = reinterpret_cast<xen_sched_state_vcpu*>(first)[number % vcpus_];
    constexpr auto relaxed = std::memory_order_relaxed;
    std::atomic_ref seq(slot.seq);
    seq.store(slot.seq + 1, relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::atomic_ref(slot.state).store(0, relaxed); // running
    std::atomic_ref(slot.priority).store(XEN_SCHED_PRIORITY_under, relaxed);
    std::atomic_ref(slot.cpu).store(static_cast<std::uint32_t>(number % 8), relaxed);
    std::atomic_ref(slot.credit).store(static_cast<std::int32_t>(number % 300) + 1, relaxed);
    std::atomic_ref(slot.entry_time).store(++time_, relaxed);
    std::atomic_ref(slot.update_time).store(time_, relaxed);
    for (std::uint64_t& total : slot.time)
      std::atomic_ref(total).store(time_, relaxed);
    seq.store(slot.seq + 1 == 0 ? 2 : slot.seq + 1, std::memory_order_release);
  }

private:
  std::uint32_t vcpus_;
  std::vector<Page> pages_;
  std::map<std::uint32_t, monitor::ScheduleReader> readers_;
  alignas(64) std::uint64_t time_ = 0; // only the writer uses this cache line
};

inline double ns_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

enum class Changes { none, busy, flat_out };

// Rewrites a host's slots in turn until it is destroyed.
class Writer {
public:
  Writer(Host& host, Changes changes) {
    if (changes == Changes::none) return;
    thread_ = std::thread([this, &host, changes] {
      pin_to(1);
      auto const pause = changes == Changes::busy
                             ? std::chrono::nanoseconds(1'000'000'000 / (changes_per_second * host.slots()))
                             : std::chrono::nanoseconds(0);
      for (std::uint64_t i = 0; !stop_.load(std::memory_order_relaxed); ++i) {
        host.write(i);
        started_.store(true, std::memory_order_relaxed);
        for (auto const start = std::chrono::steady_clock::now();
             pause.count() != 0 && std::chrono::steady_clock::now() - start < pause;) {
        }
      }
    });
    while (!started_.load(std::memory_order_relaxed))
      std::this_thread::yield();
  }
  // The writer thread's CPU time. Without a writer, the time of CLOCK_MONOTONIC.
  [[nodiscard]] double cpu_ns() {
    clockid_t clock = CLOCK_MONOTONIC;
    if (thread_.joinable()) pthread_getcpuclockid(thread_.native_handle(), &clock);
    return ns_of(clock);
  }
  ~Writer() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

private:
  std::atomic<bool> stop_{false}, started_{false};
  std::thread thread_;
};

} // namespace pegasus::bench
