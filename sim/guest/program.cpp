// SPDX-License-Identifier: Apache-2.0
#include "sim/guest/program.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim {
namespace {

// Of a step that posts requests: it waits for each.
bool waits_for_each(Step::Kind kind) { return kind == Step::Kind::call || kind == Step::Kind::from_device; }

Work::Kind work_of(Step::Kind kind) {
  if (kind == Step::Kind::to_device) return Work::Kind::to_device;
  return kind == Step::Kind::from_device ? Work::Kind::from_device : Work::Kind::kernel;
}

} // namespace

Program::Program(Setup setup, ProgramSettings settings)
    : Thread(setup.vcpu), setup_(std::move(setup)), settings_(std::move(settings)),
      wait_(settings_.wait.value_or(setup_.usual_wait)), random_(setup_.seed),
      wakeup_(setup_.clock, [this] { compute(setup_.costs.wakeup); }) {
  if (settings_.start > Nanos{0}) settings_.start = random_.around(settings_.start, settings_.spread);
  wakeup_.after(settings_.start);
}

// The thread has had the CPU time that it asked for.
void Program::computed() {
  switch (state_) {
  case State::sleeps:
    if (worker_ == nullptr) {
      began_at_ = arrival_ = setup_.clock.now();
      worker_ = &setup_.connect(*this);
      return step();
    }
    return next_step();
  case State::computes:
    return next_step();
  case State::posts:
    return post();
  case State::polls:
  case State::blocked:
    if (worker_->completed() >= awaited_) return waited();
    state_ = State::blocked; // polled for long enough
    return;
  case State::ended:
    return;
  }
}

// Begins or continues the current step.
void Program::step() {
  Step const& step = current();
  if (left_ == 0) left_ = step.count;
  switch (step.kind) {
  case Step::Kind::cpu:
    state_ = State::computes;
    return compute(span_of(step));
  case Step::Kind::sleep:
    state_ = State::sleeps;
    return wakeup_.after(span_of(step));
  case Step::Kind::every:
  case Step::Kind::arrive:
    arrival_ += step.kind == Step::Kind::every ? span_of(step) : random_.exponential(step.span);
    arrived_ = arrival_;
    state_ = State::sleeps;
    return wakeup_.after(std::max(arrival_ - setup_.clock.now(), Nanos{0}));
  case Step::Kind::sync:
    return wait_for(worker_->posted());
  case Step::Kind::launch:
  case Step::Kind::call:
  case Step::Kind::to_device:
  case Step::Kind::from_device:
    if (worker_->posted() - worker_->completed() >= setup_.costs.ring)
      return wait_for(worker_->posted() - setup_.costs.ring + 1);
    state_ = State::posts;
    return compute(setup_.costs.post);
  }
}

void Program::next_step() {
  left_ = 0;
  Phase const& phase = settings_.phases[phase_];
  if (++position_ == phase.steps.size()) {
    position_ = 0;
    ++rounds_;
    if (++repeats_ == phase.rounds) {
      repeats_ = 0;
      if (++phase_ == settings_.phases.size()) return end();
    }
  }
  step();
}

void Program::post() {
  Step const& step = current();
  bool const waits = waits_for_each(step.kind);
  --left_;
  worker_->post({work_of(step.kind), span_of(step), waits}, setup_.vcpu_number);
  if (waits) return wait_for(worker_->posted());
  if (left_ == 0) return next_step();
  this->step();
}

void Program::wait_for(std::uint64_t requests) {
  awaited_ = requests;
  waits_since_ = setup_.clock.now();
  if (worker_->completed() >= awaited_) return waited();
  bool const polls = wait_ == Wait::spin || (wait_ == Wait::hybrid && worker_->is_open());
  state_ = polls ? State::polls : State::blocked;
  if (polls) compute(wait_ == Wait::spin ? Nanos::max() / 4 : setup_.costs.spin);
}

// What it waited for has happened: all its kernels, or one, has ended, or there is room for another request.
void Program::waited() {
  awaited_ = 0;
  Step::Kind const kind = current().kind;
  if (kind == Step::Kind::launch || kind == Step::Kind::to_device) return step();
  waits_.add(setup_.clock.now() - std::exchange(arrived_, std::nullopt).value_or(waits_since_));
  if (waits_for_each(kind) && left_ > 0) return step();
  next_step();
}

void Program::completed() {
  ++kernels_;
  if (awaited_ == 0 || worker_->completed() < awaited_) return;
  if (state_ == State::polls)
    finish_early();
  else if (!wakeup_.is_set() && !computes())
    wakeup_.after(setup_.costs.event);
}

void Program::paused() {
  if (state_ == State::polls && wait_ == Wait::hybrid) finish_early();
}

void Program::end() {
  state_ = State::ended;
  ended_at_ = setup_.clock.now();
  worker_ = nullptr;
  setup_.ended();
}

void Program::kill() {
  if (state_ == State::ended) return;
  killed_ = true;
  wakeup_.cancel();
  finish_early();
  end();
}

} // namespace pegasus::sim
