// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/worker_wait.h"

#include <cstdio>

namespace pegasus::frontend {
namespace {

constexpr int cuda_device_unavailable = 46;
constexpr int cuda_launch_failed = 719;

char const* reason_text(std::uint32_t reason, bool closed_here) {
  switch (reason) {
  case PEGASUS_CLOSE_PROTOCOL:
    return "the call buffer was inconsistent (was it overwritten by this program?)";
  case PEGASUS_CLOSE_WORKER:
    return "this program's accelerator worker died";
  case PEGASUS_CLOSE_SHUTDOWN:
    return "the accelerator daemon stopped or this domain was removed";
  case PEGASUS_CLOSE_DETACHED:
    return "this domain's accelerator was detached";
  default:
    return closed_here ? "this program closed its connection to the accelerator daemon; it must not close "
                         "files that it "
                         "has not opened"
                       : "the accelerator daemon is gone; restart it and this program";
  }
}

} // namespace

constinit thread_local pegasus_spin WorkerWait::thread_spin{PEGASUS_SPIN_MAX_NS, 0, 0, PEGASUS_SPIN_MAX_NS};

WorkerWait::WorkerWait(Transport& transport, pegasus_channel_header& header)
    : transport_(transport), header_(header) {}

void WorkerWait::wake_worker() {
  // Pairs with the worker's fence between parking and its last check.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_if_asleep(header_.worker_parked);
}

void WorkerWait::wake_if_asleep(std::uint32_t& word) {
  std::atomic_ref parked(word);
  std::uint32_t asleep = parked.load(std::memory_order_relaxed);
  if ((asleep & 1) != 0 && parked.compare_exchange_strong(asleep, asleep + 1, std::memory_order_relaxed))
    transport_.wake(&word);
}

bool WorkerWait::dead() {
  if (dead_status() != 0) return true;
  bool const closed =
      std::atomic_ref(header_.worker_state).load(std::memory_order_acquire) == PEGASUS_WORKER_CLOSED;
  if (!closed && !transport_.hung_up()) return false;
  std::uint32_t const reason = closed ? header_.close_reason : static_cast<std::uint32_t>(PEGASUS_CLOSE_NONE);
  int expected = 0;
  if (dead_status_.compare_exchange_strong(expected,
                                           reason == PEGASUS_CLOSE_WORKER || reason == PEGASUS_CLOSE_PROTOCOL
                                               ? cuda_launch_failed
                                               : cuda_device_unavailable))
    std::fprintf(stderr, "pegasus: the accelerator no longer answers: %s\n",
                 reason_text(reason, transport_.closed_by_program()));
  return true;
}

} // namespace pegasus::frontend
