// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/worker.h"

#include "base/futex.h"
#include "base/hybrid_poll.h"
#include "domA/worker/alarm.h"

#include <atomic>
#include <ctime>
#include <unistd.h>

namespace pegasus::worker {
namespace {

using gate::Activity;
using Step = avcpu::Avcpu::Step;

constexpr std::uint32_t calls_per_publish = 1024; // latency histogram: 512 bytes, so not with each call

} // namespace

void Worker::run() {
  (void)obey(); // says that it has started
  avcpu_.set_activity(Activity::running);
  for (;;) {
    switch (avcpu_.step()) {
    case Step::executed:
      answered();
      if (gate_.engaged.load(std::memory_order_relaxed) != 0) drain();
      break;
    case Step::empty:
      wait_for_call();
      break;
    case Step::gated:
      wait_for_gate();
      break;
    case Step::on_host:
      execute_on_host();
      break;
    case Step::broken:
      return;
    }
  }
}

void Worker::wake_guest() {
  // pairs with the guest's fence between parking and its last look
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_ref parked(ring_.header().guest_parked);
  std::uint32_t asleep = parked.load(std::memory_order_relaxed);
  if ((asleep & 1) != 0 && parked.compare_exchange_strong(asleep, asleep + 1, std::memory_order_relaxed))
    doorbell_.ring(ring_.header().guest_parked);
}

void Worker::answered() {
  wake_guest();
  if (++since_publish_ >= calls_per_publish) {
    since_publish_ = 0;
    avcpu_.publish_latency();
  }
}

void Worker::wait_for_call() {
  if (!spin()) park();
}

bool Worker::spin() {
  return base::poll_until(
      spin_, [&](std::uint64_t) { return avcpu_.pending(); },
      [&](std::uint64_t waited, std::uint64_t budget) {
        if (avcpu_.retire()) wake_guest(); // it may wait for the returned space
        // Once the time slice is over, the next worker waits until this one has stopped.
        return avcpu_.gate_open() && waited < budget;
      });
}

bool Worker::idle() {
  if (avcpu_.retire()) wake_guest(); // only then: the policy decides when else it wakes
  return avcpu_.idle();
}

// Waits while the device still works: a worker that is idle, or waits for the gate, is taken to
// have left the device.
void Worker::pause() {
  timespec const short_time{0, 20'000};
  nanosleep(&short_time, nullptr);
}

void Worker::drain() {
  while (!idle())
    pause();
}

void Worker::park() {
  for (; !idle(); pause())
    if (avcpu_.pending()) return;
  avcpu_.publish_latency();
  avcpu_.set_activity(Activity::idle);
  kick_daemon();
  std::atomic_ref parked(ring_.header().worker_parked);
  for (;;) {
    std::uint32_t const asleep = parked.fetch_or(1, std::memory_order_relaxed) | 1;
    // pairs with the guest's fence between publishing and reading
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (avcpu_.pending()) break;
    if (obey())
      kick_daemon();
    else
      doorbell_.wait(ring_.header().worker_parked, asleep);
  }
  avcpu_.set_activity(Activity::running);
}

void Worker::wait_for_gate() {
  drain();
  (void)obey();
  std::uint32_t const closed = avcpu_.gate_word();
  avcpu_.publish_latency();
  avcpu_.set_activity(Activity::waiting);
  kick_daemon();
  while (gate_.word.load(std::memory_order_acquire) == closed)
    base::futex_wait(gate_.word, closed);
  avcpu_.set_activity(Activity::running);
  if ((gate_.word.load(std::memory_order_relaxed) & gate::word_wake) != 0) wake_guest();
}

// For a short call pegasusd is not told: the policy would take the rest of the time slice away for nothing. If
// the time slice ends meanwhile, the gate is found given back.
void Worker::execute_on_host() {
  drain();
  avcpu_.set_activity(Activity::on_host);
  if (avcpu_.takes_long()) kick_daemon();
  {
    Alarm const alarm;
    avcpu_.execute_on_host();
  }
  avcpu_.set_activity(Activity::running);
  answered();
}

bool Worker::obey() {
  return gate::obey_order(gate_, usage_, [this](gate::Order const& order) {
    gate::Answer const answer = obey_(order);
    avcpu_.publish_totals(); // the memory that it uses
    return answer;
  });
}

void Worker::kick_daemon() const {
  std::uint64_t const one = 1;
  (void)!write(kick_fd_, &one, sizeof one); // if the counter is full, a kick waits already
}

} // namespace pegasus::worker
