// SPDX-License-Identifier: Apache-2.0
#include "monitor/schedule_reader.h"

#include "xen-patches/abi/sched_state.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t vcpus = 3;

// The layout that the hypervisor's patch writes.
struct Pages {
  alignas(64) std::array<std::byte, 4096> bytes{};

  Pages() {
    header() = {XEN_SCHED_STATE_VERSION,      vcpus, sizeof(xen_sched_state_hdr),
                sizeof(xen_sched_state_vcpu), 7,     {}};
  }
  xen_sched_state_hdr& header() { return *reinterpret_cast<xen_sched_state_hdr*>(bytes.data()); }
  xen_sched_state_vcpu& slot(std::uint32_t id) {
    return reinterpret_cast<xen_sched_state_vcpu*>(bytes.data() + sizeof(xen_sched_state_hdr))[id];
  }
  void write(std::uint32_t id, VcpuState state, std::uint16_t priority, std::int32_t credit,
             std::uint64_t time) {
    xen_sched_state_vcpu& s = slot(id);
    std::atomic_ref(s.seq).store(s.seq + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::atomic_ref(s.state).store(static_cast<std::uint16_t>(state), std::memory_order_relaxed);
    std::atomic_ref(s.priority).store(priority, std::memory_order_relaxed);
    std::atomic_ref(s.cpu).store(id, std::memory_order_relaxed);
    std::atomic_ref(s.credit).store(credit, std::memory_order_relaxed);
    std::atomic_ref(s.entry_time).store(time, std::memory_order_relaxed);
    std::atomic_ref(s.update_time).store(time, std::memory_order_relaxed);
    std::atomic_ref(s.seq).store(s.seq + 1, std::memory_order_release);
  }
};

} // namespace

TEST_CASE("a vCPU's credit is time on a pCPU") {
  Pages pages;
  auto const reader = ScheduleReader::open(pages.bytes);
  REQUIRE(reader);
  auto const left = [&](VcpuState state, std::uint16_t priority, std::int32_t credit) {
    pages.write(1, state, priority, credit, 3000);
    return credit_left(reader->vcpu(1).value());
  };
  CHECK(left(VcpuState::running, XEN_SCHED_PRIORITY_boost, 120) == 12ms);
  CHECK(left(VcpuState::runnable, XEN_SCHED_PRIORITY_over, 400) == 0ms); // used up, whatever the credit
  CHECK(left(VcpuState::blocked, XEN_SCHED_PRIORITY_under, 50) == 5ms);
  CHECK(left(VcpuState::blocked, XEN_SCHED_PRIORITY_under, -300) == 100us);   // not used up: a little
  CHECK(left(VcpuState::running, XEN_SCHED_PRIORITY_none, 7'000'000) == 7ms); // credit2 counts nanoseconds
  CHECK(left(VcpuState::running, XEN_SCHED_PRIORITY_none, -5) == 0ms);
  CHECK(reader->vcpu(1)->updated == Time{3000ns});
}

TEST_CASE("a vCPU that was never written does not exist") {
  Pages pages;
  auto const reader = ScheduleReader::open(pages.bytes);
  CHECK_FALSE(reader->vcpu(0));
  CHECK_FALSE(reader->vcpu(vcpus));
}

TEST_CASE("a slot that stays in the middle of a write is given up, not waited for") {
  Pages pages;
  pages.slot(0).seq = 5;
  CHECK_FALSE(ScheduleReader::open(pages.bytes)->vcpu(0));
}

TEST_CASE("pages of another version or with slots outside of them are refused") {
  Pages pages;
  auto refused = [&] { return !ScheduleReader::open(pages.bytes); };
  CHECK_FALSE(refused());
  pages.header().version = 2;
  CHECK(refused());
  pages = Pages();
  pages.header().nr_vcpus = 64; // 64 + 64 * 64 bytes
  CHECK(refused());
  pages = Pages();
  pages.header().slot_offset = 0xffffffff;
  CHECK(refused());
  pages = Pages();
  pages.header().slot_size = 60;
  CHECK(refused());
  pages = Pages();
  pages.header().slot_offset = 68; // within the pages, but misaligned for 64-bit times
  CHECK(refused());
  CHECK_FALSE(ScheduleReader::open(std::span(pages.bytes).first(63)));
}

TEST_CASE("what is read was written at one time") {
  Pages pages;
  pages.write(0, VcpuState::running, 1, 1, 1);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::uint32_t i = 2; !stop; ++i)
      pages.write(0, VcpuState::running, static_cast<std::uint16_t>(i), static_cast<std::int32_t>(i & 0xffff),
                  i & 0xffff);
  });
  auto const reader = ScheduleReader::open(pages.bytes);
  int torn = 0;
  int got = 0;
  while (got < 100'000)
    if (auto const vcpu = reader->vcpu(0)) {
      ++got;
      torn += vcpu->priority != vcpu->updated.time_since_epoch().count() ||
              vcpu->credit != vcpu->updated.time_since_epoch().count();
    }
  stop = true;
  writer.join();
  CHECK(torn == 0);
}
