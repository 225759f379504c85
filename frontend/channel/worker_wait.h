// SPDX-License-Identifier: Apache-2.0
// How a thread of the guest waits for the worker: it polls (hybrid_spin.h), then sleeps until the worker
// wakes it. Notices that no further call is answered, and says so once on stderr. Wakes the worker, and
// threads of this side.
//
// Thread-safe.
#pragma once

#include "base/hybrid_poll.h"
#include "base/spin.h"
#include "frontend/protocol/channel.h"
#include "frontend/protocol/hybrid_spin.h"
#include "frontend/transport/transport.h"

#include <atomic>
#include <cstdint>

namespace pegasus::frontend {

class WorkerWait {
public:
  WorkerWait(Transport& transport, pegasus_channel_header& header);

  // Returns when ready() is true; false if the channel is dead.
  template <class Ready> [[nodiscard]] bool until(Ready ready) {
    return ready() || poll_until(ready) || park_until(ready);
  }

  // Once something was published for it.
  void wake_worker();
  // Threads of this process that sleep in until().
  void wake_waiting_threads() { wake_if_asleep(header_.guest_parked); }

  // A CUresult once the channel is known to be dead, otherwise 0. Looks at nothing that the worker writes.
  [[nodiscard]] int dead_status() const { return dead_status_.load(std::memory_order_relaxed); }

private:
  // How soon a sleeping caller notices that the daemon is gone.
  static constexpr std::uint64_t hang_up_check_ns = 100'000'000;
  // Below this the worker's state is not read: reading its line costs the worker a cache miss per call.
  static constexpr std::uint64_t state_check_ns = 2'000;

  template <class Ready> bool poll_until(Ready ready);
  template <class Ready> bool park_until(Ready ready);
  [[nodiscard]] std::uint32_t worker_state() const {
    return std::atomic_ref(header_.worker_state).load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool polling_pays() const {
    std::uint32_t const state = worker_state();
    return state == PEGASUS_WORKER_RUNNING || state == PEGASUS_WORKER_POLL;
  }
  void wake_if_asleep(std::uint32_t& word);
  bool dead();

  // Thanks to constinit, no use of it has to check whether it is initialized.
  static constinit thread_local pegasus_spin thread_spin;

  Transport& transport_;
  pegasus_channel_header& header_;
  std::atomic<int> dead_status_ = 0;
};

// Polls for as long as the hybrid spin allows.
template <class Ready> bool WorkerWait::poll_until(Ready ready) {
  return base::poll_until(
      thread_spin,
      [&](std::uint64_t waited) {
        if (ready()) return true;
        if (waited > state_check_ns) base::relax();
        return false;
      },
      [&](std::uint64_t waited, std::uint64_t budget) {
        if (waited > state_check_ns) {
          if (!polling_pays()) return false;
          pegasus_spin_limit(&thread_spin, std::atomic_ref(header_.poll_ns).load(std::memory_order_relaxed));
        }
        return waited < budget || (waited < hang_up_check_ns && worker_state() == PEGASUS_WORKER_POLL);
      });
}

// The worker also wakes this side without a reply, when its time slice begins and the scheduler wants it on a
// CPU: then the reply is near.
template <class Ready> bool WorkerWait::park_until(Ready ready) {
  std::uint32_t& parked = header_.guest_parked;
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

} // namespace pegasus::frontend
