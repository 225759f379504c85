// SPDX-License-Identifier: Apache-2.0
// The requests of all threads: sends them through one Producer, one at a time, and waits for slots, arena
// space and replies.
//
// Thread-safe; requests of one thread keep their order.
#pragma once

#include "frontend/channel/call_statistics.h"
#include "frontend/channel/channel.h"
#include "frontend/channel/producer.h"
#include "frontend/channel/worker_wait.h"

#include <atomic>
#include <mutex>

namespace pegasus::frontend {

struct OutgoingRequest {
  std::uint16_t call;
  Bytes body;
  Bytes tail = {};
  std::size_t data_bytes = 0; // in the arena, at most max_data_bytes()
  bool expects_reply = false;
};

class RequestQueue {
public:
  RequestQueue(Transport& transport, Layout const& layout); // of its memory

  // Reserves a slot and arena space, calls fill(data) with that space, publishes the request. Returns false
  // if the channel is dead.
  template <class Fill>
  [[nodiscard]] bool send(OutgoingRequest const& request, Reservation& reservation, Fill const& fill) {
    std::lock_guard lock(mutex_);
    if (!reserve(request.data_bytes, reservation)) return false;
    fill(reservation.data);
    publish(request, reservation);
    return true;
  }
  [[nodiscard]] bool send(OutgoingRequest const& request, Reservation& reservation) {
    return send(request, reservation, [](WritableBytes) {});
  }
  // Returns false if it would have to wait: for space, or for a thread that may be waiting for space.
  [[nodiscard]] bool try_send(OutgoingRequest const& request, Reservation& reservation);

  // Waits for the reply of a request that expects one. Returns false if the channel is dead. The arena space
  // is the caller's until release().
  [[nodiscard]] bool await(Reservation const& reservation, pegasus_reply& reply);
  void release(Reservation const& reservation);

  // A CUresult after one of these returned false because the channel is dead.
  [[nodiscard]] int dead_status() const { return wait_.dead_status(); }
  [[nodiscard]] std::size_t max_data_bytes() const { return producer_.max_data_bytes(); }
  [[nodiscard]] CallStatistics& statistics() { return statistics_; }

private:
  // The caller holds mutex_.
  bool reserve(std::size_t data_bytes, Reservation& reservation);
  void publish(OutgoingRequest const& request, Reservation const& reservation);

  Producer producer_;
  WorkerWait wait_;
  CallStatistics statistics_;
  std::mutex mutex_;
  std::atomic<bool> waiting_for_space_ = false; // the holder of mutex_ sleeps until other threads release
};

} // namespace pegasus::frontend
