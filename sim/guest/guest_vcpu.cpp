// SPDX-License-Identifier: Apache-2.0
#include "sim/guest/guest_vcpu.h"

#include <algorithm>

namespace pegasus::sim {

void Thread::compute(Nanos span) {
  left_ = span;
  computes_ = true;
  vcpu_.ready(*this);
}

void Thread::finish_early() {
  if (!computes_) return;
  left_ = Nanos{0};
  vcpu_.changed(*this);
}

GuestVcpu::GuestVcpu(Clock& clock, CpuScheduler& scheduler, VcpuSettings const& settings,
                     Options const& options)
    : clock_(clock), scheduler_(scheduler), options_(options), id_(scheduler.add(*this, settings)),
      timer_(clock, [this] { slice_over(); }) {}

void GuestVcpu::ready(Thread& thread) {
  if (&thread == current_) return; // asks again from computed()
  if (current_ == nullptr) {
    current_ = &thread;
    turn_left_ = options_.slice;
    if (running_) {
      since_ = clock_.now();
      go_on();
    }
  } else {
    queue_.push_back(&thread);
    if (running_ && !in_callback_) {
      pause();
      go_on();
    }
  }
  scheduler_.wake(id_);
}

void GuestVcpu::changed(Thread& thread) {
  if (&thread != current_ || !running_ || in_callback_) return;
  since_ = std::max(since_, clock_.now());
  go_on();
}

void GuestVcpu::on_cpu() {
  running_ = true;
  since_ = clock_.now() + options_.entry;
  go_on();
}

void GuestVcpu::off_cpu() {
  pause();
  running_ = false;
}

// Accounts what the current thread has computed.
void GuestVcpu::pause() {
  timer_.cancel();
  if (current_ == nullptr) return;
  Nanos const had = std::max(clock_.now() - since_, Nanos{0});
  current_->left_ = std::max(current_->left_ - had, Nanos{0});
  turn_left_ -= had;
  since_ = std::max(since_, clock_.now());
}

void GuestVcpu::go_on() {
  if (current_ == nullptr) return;
  Nanos const span = queue_.empty() ? current_->left_ : std::min(current_->left_, turn_left_);
  timer_.at(since_ + span);
}

void GuestVcpu::slice_over() {
  pause();
  Thread* const before = current_;
  if (before->left_ == Nanos{0}) {
    before->computes_ = false;
    in_callback_ = true;
    before->computed();
    in_callback_ = false;
    if (!before->computes_) current_ = nullptr;
  } else {
    queue_.push_back(before);
    current_ = nullptr;
  }
  if (turn_left_ <= Nanos{0} && current_ != nullptr && !queue_.empty()) {
    queue_.push_back(before);
    current_ = nullptr;
  }
  if (current_ == nullptr && !queue_.empty()) {
    current_ = queue_.front();
    queue_.pop_front();
  }
  if (current_ == nullptr) return scheduler_.block(id_);
  if (current_ != before || turn_left_ <= Nanos{0}) turn_left_ = options_.slice;
  since_ = clock_.now();
  go_on();
}

} // namespace pegasus::sim
