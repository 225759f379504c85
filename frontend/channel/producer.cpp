// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/producer.h"

#include <algorithm>
#include <sched.h>

namespace pegasus::frontend {
namespace {

constexpr std::size_t data_alignment = PEGASUS_CACHE_LINE;

// Sequences wrap; `a` is not after `b`.
bool not_after(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(b - a) >= 0; }

template <class T> std::span<T> at(std::byte* base, std::uint32_t offset, std::size_t count) {
  return {reinterpret_cast<T*>(base + offset), count};
}

} // namespace

Producer::Producer(std::byte* memory, Layout const& layout)
    : header_(reinterpret_cast<pegasus_channel_header*>(memory)),
      requests_(at<pegasus_request>(memory, layout.request_offset, layout.slots)),
      replies_(at<pegasus_reply>(memory, layout.reply_offset, layout.slots)),
      arena_(at<std::byte>(memory, layout.arena_offset, layout.arena_bytes)), mask_(layout.slots - 1),
      own_(new Own[layout.slots]) {}

bool Producer::reserve(std::size_t data_bytes, Reservation& reservation) {
  std::uint64_t end = 0;
  auto fits = [&] {
    return next_ - retired_ <= mask_ + 1 && place(data_bytes, reservation.data_offset, end);
  };
  if (!fits()) {
    retire(known_completed_.load(std::memory_order_acquire));
    if (!fits()) {
      retire(std::atomic_ref(header_->completed).load(std::memory_order_acquire));
      // A program that only posts never learns it from a reply, and sequences wrap.
      learn_completed(retired_);
      if (!fits()) return false;
    }
  }
  reservation.sequence = next_;
  reservation.data = arena_.subspan(reservation.data_offset, data_bytes);
  own_[next_ & mask_].arena_end = end;
  return true;
}

// A contiguous range at the head. If the rest of the arena is too short, it is skipped.
bool Producer::place(std::size_t bytes, std::uint32_t& offset, std::uint64_t& end) const {
  offset = 0;
  end = arena_head_;
  if (bytes == 0) return true;
  std::size_t const size = (bytes + data_alignment - 1) / data_alignment * data_alignment;
  std::uint64_t start = arena_head_;
  if (start % arena_.size() + size > arena_.size()) start += arena_.size() - start % arena_.size();
  end = start + size;
  offset = static_cast<std::uint32_t>(start % arena_.size());
  return end - arena_tail_ <= arena_.size();
}

void Producer::publish(Reservation const& reservation, std::uint16_t call, std::span<std::byte const> body,
                       std::span<std::byte const> tail, bool expects_reply) {
  pegasus_request& slot = requests_[reservation.sequence & mask_];
  slot.call = call;
  int const cpu = sched_getcpu(); // a read from thread-local memory in glibc, no system call
  slot.guest_cpu = static_cast<std::uint16_t>(cpu < 0 ? 0 : cpu);
  slot.data_offset = reservation.data_offset;
  slot.data_bytes = static_cast<std::uint32_t>(reservation.data.size());
  auto* const begin = reinterpret_cast<std::byte*>(slot.body);
  auto* const end = std::copy(tail.begin(), tail.end(), std::copy(body.begin(), body.end(), begin));
  // Zeros behind it, as far as the slot's last request has written: most calls touch the slot's first line alone.
  Own& own = own_[reservation.sequence & mask_];
  if (begin + own.written > end) std::fill(end, begin + own.written, std::byte{0});
  own.written = static_cast<std::uint8_t>(end - begin);
  own.expecting.store(expects_reply, std::memory_order_relaxed);
  arena_head_ = own.arena_end;
  next_ = reservation.sequence + 1;
  std::atomic_ref(slot.sequence).store(reservation.sequence, std::memory_order_release);
}

bool Producer::answered(std::uint32_t sequence) const {
  return std::atomic_ref(replies_[sequence & mask_].sequence).load(std::memory_order_acquire) == sequence;
}

pegasus_reply Producer::reply(std::uint32_t sequence) const { return replies_[sequence & mask_]; }

// Several threads may release: the latest sequence wins.
void Producer::learn_completed(std::uint32_t sequence) {
  std::uint32_t known = known_completed_.load(std::memory_order_relaxed);
  while (!not_after(sequence, known) &&
         !known_completed_.compare_exchange_weak(known, sequence, std::memory_order_release))
    ;
}

void Producer::release(std::uint32_t sequence) {
  // Replies come in the order of the requests: this one implies that all requests before it are completed.
  learn_completed(sequence);
  own_[sequence & mask_].expecting.store(false, std::memory_order_release);
}

void Producer::retire(std::uint32_t completed) {
  // A malicious worker could name a sequence that was never sent.
  if (!not_after(completed, next_ - 1)) return;
  while (retired_ != completed && !not_after(completed, retired_)) {
    std::uint32_t const slot = (retired_ + 1) & mask_;
    if (own_[slot].expecting.load(std::memory_order_acquire)) return;
    arena_tail_ = own_[slot].arena_end;
    ++retired_;
  }
}

} // namespace pegasus::frontend
