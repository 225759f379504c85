// SPDX-License-Identifier: Apache-2.0
#include "sim/guest/guest_vcpu.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim {

void Thread::compute(Nanos span) {
  left_ = span;
  computes_ = true;
  if (!stopped_) vcpu_->ready(*this);
}

void Thread::finish_early() {
  if (!computes_) return;
  left_ = Nanos{0};
  vcpu_->changed(*this);
}

void Thread::stop() {
  if (std::exchange(stopped_, true) || !computes_) return;
  vcpu_->remove(*this);
}

void Thread::go_on() {
  if (!std::exchange(stopped_, false) || !computes_) return;
  vcpu_->ready(*this);
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
  pause();
  go_on();
}

void GuestVcpu::remove(Thread& thread) {
  std::erase(queue_, &thread);
  if (&thread != current_) return;
  if (running_) pause();
  current_ = nullptr;
  if (running_) go_on();
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
  current_->had_ += had;
  turn_left_ -= had;
  since_ = std::max(since_, clock_.now());
}

// If the current thread was stopped, slice_over() takes another one or blocks the vCPU.
void GuestVcpu::go_on() {
  if (current_ == nullptr) return timer_.at(since_);
  Nanos const span = queue_.empty() ? current_->left_ : std::min(current_->left_, turn_left_);
  timer_.at(since_ + span);
}

// Its slice is over, or it has had what it asked for and may ask again.
void GuestVcpu::turn_over(Thread& thread) {
  if (thread.left_ == Nanos{0}) {
    thread.computes_ = false;
    in_callback_ = true;
    thread.computed();
    in_callback_ = false;
    if (!thread.computes_) current_ = nullptr;
  } else {
    queue_.push_back(&thread);
    current_ = nullptr;
  }
  if (turn_left_ <= Nanos{0} && current_ != nullptr && !queue_.empty()) {
    queue_.push_back(&thread);
    current_ = nullptr;
  }
}

void GuestVcpu::slice_over() {
  pause();
  Thread* const before = current_;
  if (before != nullptr) turn_over(*before);
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
