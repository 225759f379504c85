// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/worker.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim {

using gate::Activity;

Worker::Worker(Setup const& setup) : setup_(setup), doorbell_(setup.clock, [this] { wake(); }) {
  usage().memory_bytes.store(setup.memory);
  setup_.cpu.begin(*this);
}

Worker::~Worker() {
  (void)leave_engines();
  setup_.cpu.end();
}

// Returns how long its kernel ran since it began.
Nanos Worker::leave_engines() {
  for (std::size_t engine = 0; engine < setup_.copy_engines.count(); ++engine)
    (void)setup_.copy_engines[engine].remove(*this);
  return setup_.engine.remove(*this);
}

std::optional<std::size_t> Worker::copy_engine() const {
  Work::Kind const kind = requests_.front().kind;
  if (kind == Work::Kind::kernel || setup_.copy_engines.count() == 0) return std::nullopt;
  return kind == Work::Kind::to_device ? setup_.copy_engines.to_device() : setup_.copy_engines.from_device();
}

Engine& Worker::engine_of_request() {
  auto const copies = copy_engine();
  return copies ? setup_.copy_engines[*copies] : setup_.engine;
}

void Worker::post(Work const& work, std::uint32_t vcpu) {
  ++posted_;
  requests_.push_back(work);
  watch(watched_.on_device);
  usage().last_vcpu.store(vcpu);
  usage().requests_waiting.store(static_cast<std::uint32_t>(requests_.size()));
  if (requests_.size() > 1 || taken_) return;
  if (usage().activity.load() == Activity::idle)
    doorbell_.after(setup_.costs.event);
  else if (polls())
    setup_.cpu.signal();
}

bool Worker::is_open() const { return (pages_->gate.word.load() & gate::word_open) != 0; }

void Worker::gate_opened() {
  if (usage().activity.load() == Activity::waiting) doorbell_.after(setup_.costs.futex);
}

void Worker::look_at_gate() {
  if (polls() && !is_open()) setup_.cpu.signal();
}

void Worker::end() {
  Nanos const ran = leave_engines();
  executed_ += ran;
  if (ran > Nanos{0}) setup_.scheduler.executed(setup_.task, ran);
  claim(ran + std::exchange(unclaimed_, Nanos{0}));
  on_engine_ = false;
  taken_ = true; // nothing more is executed
  state_ = State::sleeps;
  requests_.clear();
  watch(false);
  doorbell_.cancel();
  setup_.cpu.end();
}

// The doorbell rang, perhaps not for the first time.
void Worker::wake() {
  if (state_ != State::sleeps) return;
  state_ = State::looks;
  setup_.cpu.signal();
}

void Worker::set(Activity activity) { usage().activity.store(activity); }

void Worker::watch(bool on_device) {
  setup_.idle_watch.change(watched_, {.calls = !requests_.empty(), .on_device = on_device});
}

// It has a pCPU.
void Worker::computed() {
  switch (state_) {
  case State::sleeps:
    return;
  case State::looks:
    return step();
  case State::serves:
    state_ = State::awaits;
    cpu_before_ = setup_.cpu.used();
    watch(true);
    submit();
    return setup_.cpu.await_device(requests_.front().waits);
  case State::awaits:
    return answer();
  case State::polls:
    setup_.cpu.polled(!requests_.empty());
    if (requests_.empty() && is_open()) return fall_asleep();
    return step();
  }
}

// What it does without time passing: obeys the gate, takes the next request, or polls for one
// until it sleeps.
void Worker::step() {
  Activity const before = usage().activity.load();
  std::uint32_t const word = gate().word.load();
  state_ = State::sleeps;
  if ((word & gate::word_open) == 0) {
    usage().obeyed.store(word);
    set(requests_.empty() ? Activity::idle : Activity::waiting);
    if (before != usage().activity.load()) setup_.scheduler.kicked(setup_.task);
    return setup_.client.paused();
  }
  if (requests_.empty()) {
    if (before != Activity::running) return;
    state_ = State::polls;
    setup_.cpu.poll();
    return setup_.scheduler.polls(setup_.task);
  }
  state_ = State::serves;
  set(Activity::running);
  taken_ = true;
  setup_.cpu.compute(setup_.costs.serve, gate().engaged.load() != 0 ? setup_.costs.drain : Nanos{0});
}

// As cuda::PendingLaunch: no piece is much shorter than the others.
void Worker::submit() {
  Nanos const left = requests_.front().span;
  Nanos const longest = longest_piece();
  Nanos const piece = left <= longest ? left : left / (left / longest + (left % longest > Nanos{0} ? 1 : 0));
  rest_ = left - piece;
  bool const is_piece = std::exchange(divided_, rest_ > Nanos{0}) || divided_;
  engine_of_request().execute(*this, is_piece ? piece + setup_.engine.options().piece_cost : piece);
}

Nanos Worker::longest_piece() const {
  Nanos const usual = setup_.engine.options().piece;
  if (usual == Nanos{0} || copy_engine()) return Nanos::max();
  std::uint64_t const limit = gate().longest_piece_ns.load();
  if (limit == 0) return usual;
  Nanos const from{static_cast<std::int64_t>(gate().pieces_from_ns.load())};
  Nanos const longest{static_cast<std::int64_t>(limit)};
  return std::min(usual, longest + std::max(from - (setup_.clock.now() - Time{}), Nanos{0}));
}

void Worker::fall_asleep() {
  state_ = State::sleeps;
  set(Activity::idle);
  setup_.scheduler.kicked(setup_.task);
}

// Copies to and from the device move what the program has in it, and need all of it to be there as well; but an engine that
// only copies changes no owner.
Nanos Worker::take_memory() { return copy_engine() ? Nanos{0} : setup_.scheduler.take_memory(setup_.task); }

void Worker::began() {
  if (copy_engine()) return; // not device time
  on_engine_ = true;
  began_at_ = setup_.clock.now();
  usage().executing_since_ns.store(static_cast<std::uint64_t>((began_at_ - Time{}).count()));
}

void Worker::executed(Nanos part, bool finished) {
  if (auto const copies = copy_engine()) {
    watch(false);
    setup_.scheduler.copied(setup_.task, *copies, part);
    return setup_.cpu.signal();
  }
  on_engine_ = false;
  executed_ += part;
  setup_.scheduler.executed(setup_.task, part);
  if (!finished) return claim(part);
  watch(false);
  unclaimed_ = part;
  setup_.cpu.signal();
}

// Its kernel or copy has ended, and it has noticed that. The host's time for a copy is the worker's CPU time,
// as of the real one: the driver polls while a program waits for a copy.
void Worker::answer() {
  if (copy_engine())
    usage().host_busy_ns += static_cast<std::uint64_t>((setup_.cpu.used() - cpu_before_).count());
  claim(std::exchange(unclaimed_, Nanos{0}));
  taken_ = false;
  if (rest_ > Nanos{0}) {
    requests_.front().span = std::exchange(rest_, Nanos{0});
    watch(false);
    return step();
  }
  ++usage().calls;
  if (requests_.front().waits) ++usage().sync_calls;
  requests_.pop_front();
  watch(false);
  ++completed_;
  usage().requests_waiting.store(static_cast<std::uint32_t>(requests_.size()));
  setup_.client.completed();
  step();
}

void Worker::claim(Nanos part) {
  usage().executing_since_ns.store(0);
  usage().device_busy_ns += static_cast<std::uint64_t>(part.count());
}

std::optional<Time> Worker::executing_since() const {
  return on_engine_ ? std::optional(began_at_) : std::nullopt;
}

Nanos Worker::executed() const {
  return on_engine_ ? executed_ + (setup_.clock.now() - began_at_) : executed_;
}

} // namespace pegasus::sim
