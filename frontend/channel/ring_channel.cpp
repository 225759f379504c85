// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/ring_channel.h"

#include "base/clock.h"
#include "base/spin.h"
#include "frontend/protocol/hybrid_spin.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace pegasus::frontend {
namespace {

constexpr int cuda_invalid_value = 1;
constexpr int cuda_device_unavailable = 46;
constexpr int cuda_launch_failed = 719;

// How soon a sleeping caller notices that the daemon is gone.
constexpr std::uint64_t hang_up_check_ns = 100'000'000;
constexpr unsigned polls_per_clock = 32; // a clock read costs about 25 polls
// Below this the worker's state is not read: reading its line costs the worker a cache miss per call.
constexpr std::uint64_t state_check_ns = 2'000;

thread_local pegasus_spin thread_spin{PEGASUS_SPIN_MAX_NS, 0, 0, 0};

// Bucket as defined in frontend/protocol/channel.h: four per octave.
unsigned latency_bucket(std::uint64_t ns) {
  if (ns < 4) return static_cast<unsigned>(ns);
  unsigned const octave = static_cast<unsigned>(std::bit_width(ns)) - 1;
  unsigned const bucket = octave * 4 + static_cast<unsigned>(ns >> (octave - 2) & 3);
  return std::min(bucket, PEGASUS_LATENCY_BUCKETS - 1);
}

char const* reason_text(std::uint32_t reason) {
  switch (reason) {
  case PEGASUS_CLOSE_PROTOCOL:
    return "the call buffer was inconsistent (was it overwritten by this program?)";
  case PEGASUS_CLOSE_WORKER:
    return "this program's accelerator worker died";
  case PEGASUS_CLOSE_SHUTDOWN:
    return "the accelerator daemon stopped or this domain was removed";
  default:
    return "the accelerator daemon is gone; restart it and this program";
  }
}

} // namespace

RingChannel::RingChannel(Transport& transport, Layout const& layout)
    : transport_(transport), producer_(transport.memory(), layout) {}

// Polls for as long as the hybrid spin allows, then sleeps. Returns false if the channel is dead.
template <class Ready> bool RingChannel::wait_until(Ready ready) {
  return ready() || poll_until(ready) || park_until(ready);
}

template <class Ready> bool RingChannel::poll_until(Ready ready) {
  std::uint64_t const start = base::monotonic_ns();
  std::uint64_t const budget = pegasus_spin_begin(&thread_spin);
  std::uint64_t last = start;
  std::uint64_t longest_gap = 0;
  do {
    for (unsigned poll = 0; poll < polls_per_clock; ++poll) {
      if (ready()) {
        pegasus_spin_hit(&thread_spin, last - start);
        return true;
      }
      if (last - start > state_check_ns) base::relax();
    }
    std::uint64_t const now = base::monotonic_ns();
    longest_gap = std::max(longest_gap, now - last);
    last = now;
    if (last - start > state_check_ns && !polling_pays()) break;
  } while (last - start < budget ||
           (last - start < hang_up_check_ns && worker_state() == PEGASUS_WORKER_POLL));
  pegasus_spin_miss(&thread_spin, longest_gap);
  return false;
}

std::uint32_t RingChannel::worker_state() const {
  return std::atomic_ref(producer_.header().worker_state).load(std::memory_order_relaxed);
}

bool RingChannel::polling_pays() const {
  std::uint32_t const state = worker_state();
  return state == PEGASUS_WORKER_RUNNING || state == PEGASUS_WORKER_POLL;
}

// The worker also wakes this side without a reply, when its time slice begins and the scheduler wants it on a
// CPU: then the reply is near.
template <class Ready> bool RingChannel::park_until(Ready ready) {
  std::uint32_t& parked = producer_.header().guest_parked;
  while (!dead()) {
    std::uint32_t const asleep = std::atomic_ref(parked).fetch_or(1, std::memory_order_relaxed) | 1;
    // Pairs with the worker's fence between publishing and reading.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (ready()) return true;
    transport_.sleep(&parked, asleep, hang_up_check_ns);
    if (ready() || (polling_pays() && poll_until(ready))) return true;
  }
  return false;
}

bool RingChannel::dead() {
  if (dead_status_.load(std::memory_order_relaxed) != 0) return true;
  bool const closed = std::atomic_ref(producer_.header().worker_state).load(std::memory_order_acquire) ==
                      PEGASUS_WORKER_CLOSED;
  if (!closed && !transport_.hung_up()) return false;
  std::uint32_t const reason =
      closed ? producer_.header().close_reason : static_cast<std::uint32_t>(PEGASUS_CLOSE_NONE);
  int expected = 0;
  if (dead_status_.compare_exchange_strong(expected,
                                           reason == PEGASUS_CLOSE_WORKER || reason == PEGASUS_CLOSE_PROTOCOL
                                               ? cuda_launch_failed
                                               : cuda_device_unavailable))
    std::fprintf(stderr, "pegasus: the accelerator no longer answers: %s\n", reason_text(reason));
  return true;
}

int RingChannel::dead_status() { return dead_status_.load(std::memory_order_relaxed); }

bool RingChannel::reserve(std::size_t data_bytes, Reservation& reservation) {
  if (dead_status() != 0) return false;
  if (producer_.reserve(data_bytes, reservation)) return true;
  waiting_for_space_.store(true, std::memory_order_seq_cst);
  bool const reserved = wait_until([&] { return producer_.reserve(data_bytes, reservation); });
  waiting_for_space_.store(false, std::memory_order_relaxed);
  return reserved;
}

// Space is released in the order of the requests: a thread that takes its reply may free the space that
// another thread waits for.
void RingChannel::release(std::uint32_t sequence) {
  producer_.release(sequence);
  // Pairs with the store above and the sleeper's last check.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (waiting_for_space_.load(std::memory_order_relaxed)) wake_if_asleep(producer_.header().guest_parked);
}

void RingChannel::wake_if_asleep(std::uint32_t& word) {
  std::atomic_ref parked(word);
  std::uint32_t asleep = parked.load(std::memory_order_relaxed);
  if ((asleep & 1) != 0 && parked.compare_exchange_strong(asleep, asleep + 1, std::memory_order_relaxed))
    transport_.wake(&word);
}

void RingChannel::submit(Reservation const& reservation, std::uint16_t call, Bytes request, Bytes tail,
                         bool expects_reply) {
  producer_.publish(reservation, call, request, tail, expects_reply);
  pegasus_channel_header& header = producer_.header();
  std::uint32_t& count = expects_reply ? header.statistics.sync_calls : header.statistics.posted_calls;
  std::atomic_ref(count).store(count + 1, std::memory_order_relaxed);
  // Pairs with the worker's fence between parking and its last check.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_if_asleep(header.worker_parked);
}

bool RingChannel::await(std::uint32_t sequence, pegasus_reply& reply) {
  if (!wait_until([&] { return producer_.answered(sequence); })) return false;
  reply = producer_.reply(sequence);
  return true;
}

void RingChannel::count_latency(std::uint64_t nanoseconds) {
  std::atomic_ref(producer_.header().statistics.latency_bucket[latency_bucket(nanoseconds)])
      .fetch_add(1, std::memory_order_relaxed);
}

int RingChannel::call_bytes(std::uint16_t call, Bytes request, WritableBytes reply_body, Bytes in,
                            WritableBytes out) {
  std::size_t const data_bytes = std::max(in.size(), out.size());
  if (data_bytes > max_data_bytes()) return cuda_invalid_value;
  std::uint64_t const start = base::monotonic_ns();
  Reservation reservation;
  {
    std::lock_guard lock(mutex_);
    if (!reserve(data_bytes, reservation)) return dead_status();
    std::copy(in.begin(), in.end(), reservation.data.begin());
    submit(reservation, call, request, {}, true);
  }
  pegasus_reply reply{};
  if (!await(reservation.sequence, reply)) return dead_status();
  std::copy_n(reservation.data.begin(), out.size(), out.begin());
  release(reservation.sequence);
  std::copy_n(reinterpret_cast<std::byte const*>(reply.body), reply_body.size(), reply_body.begin());
  count_latency(base::monotonic_ns() - start);
  return finish(reply);
}

int RingChannel::post_bytes(std::uint16_t call, Bytes request, Bytes tail) {
  // Only the parameters of a launch, also of a launch in a graph, may follow inline: its request holds their
  // size.
  bool const is_launch = call == PEGASUS_CALL_LAUNCH || call == PEGASUS_CALL_GRAPH_ADD;
  bool const fits_inline = is_launch && request.size() + tail.size() <= PEGASUS_REQUEST_BODY;
  Bytes const data = fits_inline ? Bytes{} : tail;
  if (data.size() > max_data_bytes()) return cuda_invalid_value;
  std::lock_guard lock(mutex_);
  Reservation reservation;
  if (!reserve(data.size(), reservation)) return dead_status();
  std::copy(data.begin(), data.end(), reservation.data.begin());
  submit(reservation, call, request, fits_inline ? tail : Bytes{}, false);
  return 0;
}

int RingChannel::finish(pegasus_reply const& reply) {
  if ((reply.flags & PEGASUS_REPLY_OUTPUT_PENDING) != 0) print_output();
  return reply.status;
}

// Device printf goes to the program's own stdout buffer: its order with the program's output is then the same
// as in CUDA.
void RingChannel::print_output() {
  std::lock_guard lock(output_mutex_);
  std::byte text[8192];
  std::size_t const room = std::min(sizeof text, max_data_bytes());
  for (;;) {
    pegasus_output_read_request const request{};
    pegasus_output_read_reply answer{};
    Reservation reservation;
    {
      std::lock_guard ring_lock(mutex_);
      if (!reserve(room, reservation)) return;
      submit(reservation, PEGASUS_CALL_OUTPUT_READ, as_bytes_of(request), {}, true);
    }
    pegasus_reply reply{};
    if (!await(reservation.sequence, reply)) return;
    std::copy_n(reservation.data.begin(), room, text);
    release(reservation.sequence);
    std::memcpy(&answer, reply.body, sizeof answer);
    if (answer.bytes == 0 || answer.bytes > room) return;
    std::fwrite(text, 1, answer.bytes, answer.kind == 1 ? stdout : stderr);
  }
}

} // namespace pegasus::frontend
