// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/request_queue.h"

namespace pegasus::frontend {

RequestQueue::RequestQueue(Transport& transport, Layout const& layout)
    : producer_(transport.memory(), layout), wait_(transport, producer_.header()),
      statistics_(producer_.header().statistics) {}

bool RequestQueue::reserve(std::size_t data_bytes, Reservation& reservation) {
  if (dead_status() != 0) return false;
  if (producer_.reserve(data_bytes, reservation)) return true;
  waiting_for_space_.store(true, std::memory_order_seq_cst);
  bool const reserved = wait_.until([&] { return producer_.reserve(data_bytes, reservation); });
  waiting_for_space_.store(false, std::memory_order_relaxed);
  return reserved;
}

void RequestQueue::publish(OutgoingRequest const& request, Reservation const& reservation) {
  producer_.publish(reservation, request.call, request.body, request.tail, request.expects_reply);
  statistics_.count_call(request.expects_reply);
  wait_.wake_worker();
}

bool RequestQueue::try_send(OutgoingRequest const& request, Reservation& reservation) {
  std::unique_lock const lock(mutex_, std::try_to_lock);
  if (!lock || !producer_.reserve(request.data_bytes, reservation)) return false;
  publish(request, reservation);
  return true;
}

bool RequestQueue::await(Reservation const& reservation, pegasus_reply& reply) {
  std::uint32_t const sequence = reservation.sequence;
  if (!wait_.until([this, sequence] { return producer_.answered(sequence); })) return false;
  reply = producer_.reply(sequence);
  return true;
}

// Space is released in the order of the requests: a thread that takes its reply may free the space that
// another thread waits for.
void RequestQueue::release(Reservation const& reservation) {
  producer_.release(reservation.sequence);
  // Pairs with the store in reserve() and the sleeper's last check.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (waiting_for_space_.load(std::memory_order_relaxed)) wait_.wake_waiting_threads();
}

} // namespace pegasus::frontend
