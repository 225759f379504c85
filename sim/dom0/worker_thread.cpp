// SPDX-License-Identifier: Apache-2.0
#include "sim/dom0/worker_thread.h"

#include <algorithm>

namespace pegasus::sim {
namespace {

constexpr Nanos without_end = Nanos::max() / 4;

std::uint64_t nanoseconds(Nanos time) { return static_cast<std::uint64_t>(std::max(time, Nanos{0}).count()); }

} // namespace

WorkerThread::WorkerThread(Clock& clock, Dom0& dom0, GuestVcpu& first, bool device_poll)
    : Thread(first), clock_(clock), dom0_(dom0), device_poll_(device_poll),
      poll_ends_(clock, [this] { finish_early(); }), nap_ends_(clock, [this] { run(after_nap_); }) {
  pegasus_spin_init(&spin_);
}

void WorkerThread::end() {
  user_ = nullptr;
  poll_ends_.cancel();
  nap_ends_.cancel();
  finish_early();
}

void WorkerThread::compute(Nanos span, Nanos nap) {
  if (nap == Nanos{0}) return run(span);
  after_nap_ = span;
  nap_ends_.after(nap);
}

void WorkerThread::run(Nanos span) {
  if (!awake_) move_to(dom0_.vcpu_for(vcpu()));
  awake_ = true;
  Thread::compute(span);
}

void WorkerThread::poll() {
  poll_began_ = clock_.now();
  Nanos const budget{pegasus_spin_begin(&spin_)};
  poll_ends_.after(budget);
  run(budget);
}

// The longest gap that the real one sees between two readings of the clock is the time without a pCPU. Of
// that, what lies beyond the budget is taken for it.
void WorkerThread::polled(bool found) {
  Nanos const waited = clock_.now() - poll_began_;
  Nanos const budget = poll_ends_.time() - poll_began_;
  poll_ends_.cancel();
  if (found)
    pegasus_spin_hit(&spin_, nanoseconds(waited));
  else
    pegasus_spin_miss(&spin_, nanoseconds(waited - budget));
}

void WorkerThread::await_device(bool program_waits) {
  if (device_poll_ && program_waits) run(without_end);
}

void WorkerThread::signal() {
  if (computes())
    finish_early();
  else
    run(Nanos{0});
}

void WorkerThread::computed() {
  if (user_ != nullptr) user_->computed();
  awake_ = computes();
}

} // namespace pegasus::sim
