// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/worker.h"

namespace pegasus::sim {

using gate::Activity;

Worker::Worker(Setup const& setup)
    : setup_(setup), doorbell_(setup.clock, [this] { step(); }),
      serve_(setup.clock, [this] { setup_.engine.execute(*this, requests_.front().kernel); }),
      linger_(setup.clock, [this] {
        set(Activity::idle);
        setup_.scheduler.kicked(setup_.task);
      }) {
  usage().memory_bytes.store(setup.memory);
}

void Worker::post(Nanos kernel, bool waits, std::uint32_t vcpu) {
  ++posted_;
  requests_.push_back({kernel, waits});
  usage().last_vcpu.store(vcpu);
  usage().requests_waiting.store(static_cast<std::uint32_t>(requests_.size()));
  if (requests_.size() > 1 || taken_) return;
  if (usage().activity.load() == Activity::idle)
    doorbell_.after(setup_.costs.event);
  else
    step();
}

bool Worker::is_open() const { return (pages_->gate.word.load() & gate::word_open) != 0; }

void Worker::gate_opened() {
  if (usage().activity.load() == Activity::waiting) doorbell_.after(setup_.costs.futex);
}

void Worker::look_at_gate() {
  if (polls() && !is_open()) step();
}

void Worker::end() {
  Nanos const ran = setup_.engine.remove(*this);
  executed_ += ran;
  if (ran > Nanos{0}) setup_.scheduler.executed(setup_.task, ran);
  usage().executing_since_ns.store(0);
  usage().device_busy_ns += static_cast<std::uint64_t>(ran.count());
  on_engine_ = false;
  taken_ = true; // nothing more is executed
  requests_.clear();
  for (Timer* const timer : {&doorbell_, &serve_, &linger_})
    timer->cancel();
}

void Worker::set(Activity activity) { usage().activity.store(activity); }

// What it does without time passing: obeys the gate, takes the next request, or polls for one until it sleeps.
void Worker::step() {
  if (taken_) return;
  Activity const before = usage().activity.load();
  std::uint32_t const word = gate().word.load();
  if ((word & gate::word_open) == 0) {
    linger_.cancel();
    usage().obeyed.store(word);
    set(requests_.empty() ? Activity::idle : Activity::waiting);
    if (before != usage().activity.load()) setup_.scheduler.kicked(setup_.task);
    return setup_.client.paused();
  }
  if (requests_.empty()) {
    if (before != Activity::running || linger_.is_set()) return;
    linger_.after(setup_.costs.spin);
    return setup_.scheduler.polls(setup_.task);
  }
  linger_.cancel();
  set(Activity::running);
  taken_ = true;
  serve_.after(setup_.costs.serve + (gate().engaged.load() != 0 ? setup_.costs.drain : Nanos{0}));
}

void Worker::began() {
  on_engine_ = true;
  began_at_ = setup_.clock.now();
  usage().executing_since_ns.store(static_cast<std::uint64_t>((began_at_ - Time{}).count()));
}

void Worker::executed(Nanos part, bool finished) {
  on_engine_ = false;
  executed_ += part;
  setup_.scheduler.executed(setup_.task, part);
  usage().executing_since_ns.store(0);
  usage().device_busy_ns += static_cast<std::uint64_t>(part.count());
  if (!finished) return;
  taken_ = false;
  ++usage().calls;
  if (requests_.front().waits) ++usage().sync_calls;
  requests_.pop_front();
  ++completed_;
  usage().requests_waiting.store(static_cast<std::uint32_t>(requests_.size()));
  setup_.client.completed();
  step();
}

std::optional<Time> Worker::executing_since() const {
  return on_engine_ ? std::optional(began_at_) : std::nullopt;
}

Nanos Worker::executed() const {
  return on_engine_ ? executed_ + (setup_.clock.now() - began_at_) : executed_;
}

} // namespace pegasus::sim
