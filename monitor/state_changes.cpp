// SPDX-License-Identifier: Apache-2.0
#include "monitor/state_changes.h"

#include <atomic>
#include <utility>

namespace pegasus::monitor {

namespace {

// struct t_buf: how far its reader and Xen have come, in bytes, modulo twice the buffer's size.
struct Header {
  std::uint32_t consumed;
  std::uint32_t produced;
};

// struct t_rec: 28 bits of event, 3 bits that count words after the time, 1 bit: there is a time, of two words.
constexpr std::uint32_t event_bits = 0x0fff'ffff;
constexpr std::uint32_t lost_records = 0x0001'f001;
// TRC_SCHED_RUNSTATE_CHANGE; the old state is in bits 8 and 9, the new one in bits 4 and 5.
constexpr std::uint32_t state_change = 0x0002'1001;
constexpr std::uint32_t states = 0x330;
constexpr std::uint32_t words_of_a_change = 4; // its event, its time, and one word for domain and vCPU

std::uint32_t& field(std::byte* buffer, std::size_t offset) {
  return *reinterpret_cast<std::uint32_t*>(buffer + offset);
}

} // namespace

StateChanges::StateChanges(std::span<std::byte> buffer, std::uint32_t cpu)
    : buffer_(buffer.data()), bytes_(static_cast<std::uint32_t>(buffer.size() - sizeof(Header)) / 4 * 4),
      cpu_(cpu), consumed_(consumed()), produced_(produced()) {}

std::uint32_t StateChanges::consumed() const {
  return std::atomic_ref(field(buffer_, offsetof(Header, consumed))).load(std::memory_order_relaxed);
}

std::uint32_t StateChanges::produced() const { // and the records before it
  return std::atomic_ref(field(buffer_, offsetof(Header, produced))).load(std::memory_order_acquire);
}

StateChanges::Use StateChanges::look() {
  std::uint32_t const consumed_before = std::exchange(consumed_, consumed());
  std::uint32_t const produced_before = std::exchange(produced_, produced());
  return {.read = consumed_ != consumed_before, .written = produced_ != produced_before};
}

void StateChanges::take() { consume(produced()); }

void StateChanges::consume(std::uint32_t up_to) {
  consumed_ = up_to;
  std::atomic_ref(field(buffer_, offsetof(Header, consumed))).store(up_to, std::memory_order_release);
}

std::uint32_t StateChanges::word(std::uint32_t offset) const {
  return field(buffer_, sizeof(Header) + offset % bytes_);
}

StateChanges::Drained StateChanges::drain(std::vector<StateChange>& changes) {
  std::uint32_t const end = produced();
  if (consumed() != consumed_) return Drained::taken;
  std::uint32_t const left = (end + 2 * bytes_ - consumed_) % (2 * bytes_);
  Drained result = Drained::all;
  if (end >= 2 * bytes_ || consumed_ >= 2 * bytes_ || end % 4 != 0 || left > bytes_) result = Drained::lost;
  for (std::uint32_t at = 0; result == Drained::all && at < left;) {
    std::uint32_t const head = word(consumed_ + at);
    std::uint32_t const words = 1 + (head >> 28 & 7) + (head >> 31) * 2;
    if (4 * words > left - at || (head & event_bits) == lost_records) {
      result = Drained::lost;
    } else if ((head & event_bits & ~states) == state_change && words == words_of_a_change) {
      std::uint32_t const low = word(consumed_ + at + 4);
      std::uint32_t const high = word(consumed_ + at + 8);
      std::uint32_t const who = word(consumed_ + at + 12);
      changes.push_back({.tsc = std::uint64_t{high} << 32 | low,
                         .domain = who >> 16,
                         .vcpu = who & 0xffff,
                         .cpu = cpu_,
                         .state = static_cast<VcpuState>(head >> 4 & 3)});
    }
    at += 4 * words;
  }
  consume(end);
  return result;
}

} // namespace pegasus::monitor
